import CDBus
import Dispatch
import Glibc
import Synchronization

/// The thread that serves one bus: it polls the watches of libdbus, runs jobs posted by other
/// threads, and fires timers.
///
/// Some members, which are marked below, are accessed only on this thread.
final class BusLoop: @unchecked Sendable {
    typealias Job = @Sendable () -> Void

    private struct Mailbox {
        var jobs: [Job] = []
        var isStopped = false
    }

    private struct Timer {
        let deadline: ContinuousClock.Instant
        let job: Job
    }

    private struct Wait {
        let descriptor: BusDescriptor
        let pending: PendingCall
    }

    /// Accessed only on the loop's thread.
    private final class Listener: @unchecked Sendable {
        let descriptor: BusDescriptor
        private let pause: Duration
        private let handler: @Sendable () -> BusReading
        /// When to read again without polling first; `nil` if the descriptor is polled.
        private(set) var readsAt: ContinuousClock.Instant?
        private(set) var isOver = false

        init(
            _ descriptor: BusDescriptor,
            pause: Duration,
            _ handler: @escaping @Sendable () -> BusReading
        ) {
            self.descriptor = descriptor
            self.pause = pause
            self.handler = handler
        }

        func read(at now: ContinuousClock.Instant) {
            switch handler() {
            case .something: readsAt = pause > .zero ? now + pause : nil
            case .nothing: readsAt = nil
            case .over: isOver = true
            }
        }
    }

    private let mailbox = Mutex(Mailbox())
    private let bell: CInt

    // Accessed only on the loop's thread.
    private var watches: [OpaquePointer] = []
    private var timers: [UInt64: Timer] = [:]
    /// The earliest time at which a timer can be due.
    private var nextTimerAt: ContinuousClock.Instant?
    private var waits: [Wait] = []
    private var listeners: [Listener] = []
    private var lastID: UInt64 = 0
    /// The descriptors of a poll, in order: the bell, then these watches, then the waits, then
    /// these listeners. The arrays are kept, because a transfer polls hundreds of times a second.
    private var requests: [pollfd] = []
    private var polledWatches: [OpaquePointer] = []
    private var polledListeners: [Listener] = []
    /// Called before each wait; returns whether there is more to do immediately.
    var dispatch: () -> Bool = { false }

    init() throws(BusError) {
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard bell >= 0 else { throw .disconnected("this process has no file descriptors left") }
    }

    deinit { close(bell) }

    func start() {
        // A private serial queue runs the loop on a dedicated thread.
        DispatchQueue(label: "bleota.bus").async { self.run() }
    }

    /// Runs a job on the thread, after all earlier jobs; returns `false` if the loop is stopped.
    @discardableResult
    func post(_ job: @escaping Job) -> Bool {
        let isTaken = mailbox.withLock { mailbox in
            if mailbox.isStopped { return false }
            mailbox.jobs.append(job)
            return true
        }
        if isTaken { ring() }
        return isTaken
    }

    /// Ends the thread after the pending jobs.
    func stop() {
        mailbox.withLock { $0.isStopped = true }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        // The write fails only if the event is already set.
        _ = write(bell, &one, 8)
    }

    // MARK: - On the loop's thread

    private func run() {
        while true {
            let (jobs, isStopped) = mailbox.withLock { mailbox in
                let jobs = mailbox.jobs
                mailbox.jobs.removeAll(keepingCapacity: true)
                return (jobs, mailbox.isStopped)
            }
            for job in jobs { job() }
            let now = ContinuousClock.now
            fireTimers(at: now)
            for listener in listeners where listener.readsAt.map({ $0 <= now }) ?? false {
                listener.read(at: now)
            }
            let hasMore = dispatch()
            if isStopped, jobs.isEmpty { break }
            if isStopped { continue }
            listeners.removeAll { $0.isOver || $0.descriptor.isClosed }
            waitForEvents(for: hasMore ? 0 : millisecondsLeft)
        }
        // Nothing uses these again, but they retain their owners.
        timers = [:]
        for wait in waits { wait.pending.end(.failure(.disconnected("closed by this side"))) }
        waits = []
        listeners = []
    }

    private func waitForEvents(for milliseconds: Int32) {
        requests.removeAll(keepingCapacity: true)
        requests.append(pollfd(fd: bell, events: Int16(POLLIN), revents: 0))
        polledWatches.removeAll(keepingCapacity: true)
        for watch in watches where dbus_watch_get_enabled(watch) != 0 {
            polledWatches.append(watch)
            request(dbus_watch_get_unix_fd(watch), Self.events(of: watch))
        }
        waits.removeAll { $0.pending.isOver }
        let waits = self.waits
        for wait in waits { request(wait.descriptor, POLLOUT) }
        polledListeners.removeAll(keepingCapacity: true)
        for listener in listeners where listener.readsAt == nil {
            polledListeners.append(listener)
            request(listener.descriptor, POLLIN)
        }
        guard poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { return }
        if requests[0].revents != 0 { silence() }
        for (watch, request) in zip(polledWatches, requests[1...]) where request.revents != 0 {
            // An earlier watch's handler may have removed this watch.
            guard watches.contains(watch) else { continue }
            dbus_watch_handle(watch, Self.flags(request.revents))
        }
        let firstWait = 1 + polledWatches.count
        for (wait, request) in zip(waits, requests[firstWait...]) where request.revents != 0 {
            wait.pending.end(.success([]))
        }
        let firstListener = firstWait + waits.count
        for (listener, request) in zip(polledListeners, requests[firstListener...])
        where request.revents != 0 {
            listener.read(at: .now)
        }
    }

    private func request(_ descriptor: BusDescriptor, _ events: Int32) {
        // Poll ignores a descriptor that has just been closed, and its wait is over anyway.
        request(descriptor.withNumber { $0 } ?? -1, Int16(events))
    }

    private func request(_ number: CInt, _ events: Int16) {
        requests.append(pollfd(fd: number, events: events, revents: 0))
    }

    private func silence() {
        var count: UInt64 = 0
        _ = read(bell, &count, 8)
    }

    private static func events(of watch: OpaquePointer) -> Int16 {
        let flags = dbus_watch_get_flags(watch)
        var events: Int16 = 0
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { events |= Int16(POLLIN) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events |= Int16(POLLOUT) }
        return events
    }

    private static func flags(_ events: Int16) -> UInt32 {
        var flags: UInt32 = 0
        if events & Int16(POLLIN) != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
        if events & Int16(POLLOUT) != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if events & Int16(POLLERR) != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
        if events & Int16(POLLHUP) != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
        return flags
    }

    func add(_ watch: OpaquePointer) { watches.append(watch) }

    func remove(_ watch: OpaquePointer) { watches.removeAll { $0 == watch } }

    /// Ends a wait once the descriptor is writable or hung up. Code that ends the wait earlier
    /// must post a job, because a poll in progress keeps the descriptor open.
    func awaitWritable(_ descriptor: BusDescriptor, _ pending: PendingCall) {
        waits.append(Wait(descriptor: descriptor, pending: pending))
    }

    /// Calls `handler` whenever the descriptor is readable or hung up, with at least `pause`
    /// between two calls, until the descriptor is closed or the handler returns `over`.
    func listen(
        to descriptor: BusDescriptor,
        pause: Duration,
        _ handler: @escaping @Sendable () -> BusReading
    ) {
        listeners.append(Listener(descriptor, pause: pause, handler))
    }

    // MARK: - Timers

    /// Longer than any process lives, but short enough to be added to an instant.
    private static let longestPause = Duration.seconds(1 << 32)

    /// Runs a job after a pause, unless the timer is cancelled with the returned number.
    @discardableResult
    func after(_ pause: Duration, _ job: @escaping Job) -> UInt64 {
        lastID += 1
        let deadline = ContinuousClock.now + min(pause, Self.longestPause)
        timers[lastID] = Timer(deadline: deadline, job: job)
        nextTimerAt = min(nextTimerAt ?? deadline, deadline)
        return lastID
    }

    func cancelTimer(_ id: UInt64) { timers.removeValue(forKey: id) }

    private func fireTimers(at now: ContinuousClock.Instant) {
        guard let nextTimerAt, nextTimerAt <= now else { return }
        let due = timers.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        for (id, timer) in due where timers.removeValue(forKey: id) != nil { timer.job() }
        self.nextTimerAt = timers.values.map(\.deadline).min()
    }

    /// The time until a timer is due or a listener reads again; -1 if there is neither.
    private var millisecondsLeft: Int32 {
        var next = nextTimerAt
        for listener in listeners {
            guard let readsAt = listener.readsAt else { continue }
            next = next.map { min($0, readsAt) } ?? readsAt
        }
        guard let next else { return -1 }
        let left = ContinuousClock.now.duration(to: next).components
        let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        // Rounded up, so the loop does not spin for the last fraction of a millisecond.
        return Int32(clamping: max(milliseconds + 1, 0))
    }
}
