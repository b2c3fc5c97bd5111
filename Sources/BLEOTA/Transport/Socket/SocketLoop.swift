import BLEOTACore
import Glibc
import Synchronization

/// A socket that the ``SocketLoop`` watches. Only the loop's thread calls these methods.
package protocol WatchedSocket: AnyObject, Sendable {
    var descriptor: Int32 { get }

    /// What the socket waits for, or `nil` once it is no longer needed.
    func interest() -> SocketInterest?

    /// Handles events and deadlines. Must not block.
    ///
    /// - Parameter events: the events that `poll` reports for the descriptor; 0 if only the
    ///   deadline has passed.
    func handle(events: Int32)

    /// Closes the descriptor. No further call follows.
    func finish()
}

/// The events and the deadline that a socket waits for.
package struct SocketInterest {
    /// The events for `poll`.
    package var events: Int32
    /// When the socket is handled even without an event.
    package var deadline: ContinuousClock.Instant?

    package init(events: Int32, deadline: ContinuousClock.Instant? = nil) {
        self.events = events
        self.deadline = deadline
    }
}

/// The thread that watches all Unix sockets of this process. An idle link therefore costs only its
/// descriptor.
///
/// The thread starts with the first socket and ends after the last. Each iteration asks every
/// socket what it waits for, and polls all of them. The cost of an iteration grows with the number
/// of sockets, so listeners limit the number of links (``DescriptorBudget``).
package final class SocketLoop: Sendable {
    package static let shared = SocketLoop()

    private struct State {
        /// Sockets that the thread has not picked up yet.
        var newcomers: [any WatchedSocket] = []
        /// The pipe that wakes the thread; `nil` if no thread is running.
        var wakePipe: WakePipe?
    }

    private let state = Mutex(State())

    /// Watches a socket from now on, and keeps it alive until it has finished.
    package func watch(_ socket: any WatchedSocket) throws(SocketError) {
        try state.withLock { state throws(SocketError) in
            if let wakePipe = state.wakePipe {
                state.newcomers.append(socket)
                wakePipe.wake()
                return
            }
            let wakePipe = try WakePipe()
            try IOThread.start { self.run(wakePipe) }
            state.newcomers.append(socket)
            state.wakePipe = wakePipe
        }
    }

    /// Makes the thread ask all sockets again what they wait for.
    package func wake() {
        state.withLock { state in state.wakePipe }?.wake()
    }

    private func run(_ wakePipe: WakePipe) {
        var sockets: [any WatchedSocket] = []
        var polled: [pollfd] = []
        var deadlines: [ContinuousClock.Instant?] = []
        while true {
            sockets += takeNewcomers()
            polled.removeAll(keepingCapacity: true)
            deadlines.removeAll(keepingCapacity: true)
            sockets.removeAll { socket in
                guard let interest = socket.interest() else {
                    socket.finish()
                    return true
                }
                polled.append(
                    pollfd(fd: socket.descriptor, events: Int16(interest.events), revents: 0)
                )
                deadlines.append(interest.deadline)
                return false
            }
            if sockets.isEmpty {
                if hasEnded() { break }
                continue
            }
            let first = deadlines.lazy.compactMap(\.self).min()
            wakePipe.wait(for: &polled, milliseconds: first.map(Self.millisecondsLeft) ?? -1)
            let now = first == nil ? nil : ContinuousClock.now
            for (index, socket) in sockets.enumerated() {
                let events = Int32(polled[index].revents)
                let isDue = now.map { now in deadlines[index].map { $0 <= now } ?? false } ?? false
                if events != 0 || isDue { socket.handle(events: events) }
            }
        }
        wakePipe.close()
    }

    private func takeNewcomers() -> [any WatchedSocket] {
        state.withLock { state in
            defer { state.newcomers.removeAll() }
            return state.newcomers
        }
    }

    /// Whether no sockets are left. If so, the next socket starts another thread.
    private func hasEnded() -> Bool {
        state.withLock { state in
            guard state.newcomers.isEmpty else { return false }
            state.wakePipe = nil
            return true
        }
    }

    private static func millisecondsLeft(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = (deadline - .now) / .milliseconds(1)
        if left <= 0 { return 0 }
        // Rounded up, so that the thread doesn't spin during the last millisecond.
        return Int32(min(left + 1, Double(Int32.max)))
    }
}
