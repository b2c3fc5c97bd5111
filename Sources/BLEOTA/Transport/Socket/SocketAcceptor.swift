import BLEOTACore
import Glibc
import SystemPackage

/// The listening socket of a ``SocketListener``, and the peers that have not sent a hello yet.
///
/// Peers are accepted only while a task waits for a peer; until then, new peers wait in the kernel.
/// All accepted peers are greeted concurrently, so a silent peer delays nobody. If descriptors or
/// memory run short, the acceptor waits, but it never ends for that reason.
final class SocketAcceptor: WatchedSocket {
    private struct State {
        var isClosed = false
        /// Whether a task waits for a peer.
        var isWaiting = false
        /// The error that ended the acceptor; neither a peer nor a shortage causes one.
        var failure: SocketError?
        /// Links to connected peers that have not sent a hello; the oldest is first.
        var greeting: [SocketLink] = []
        /// Links that are up but have not been taken.
        var ready: [SocketTransport] = []
        /// After a shortage, the time until which no peer is accepted.
        var pauseEnd: ContinuousClock.Instant?
        var onShortage: (@Sendable () -> Void)?
    }

    /// The maximum number of peers accepted per iteration of the loop, so that links are served in
    /// between.
    private static let batchCountMax = 16
    /// The minimum pause after a shortage. Fifty attempts per second cost nothing, and nobody
    /// notices a fiftieth of a second.
    private static let shortagePause: Duration = .milliseconds(20)

    /// The number of threads that must be available: one for the links, one for each processor that
    /// runs tasks, and several for Dispatch, which serves timers, the store and signals.
    private static let threadCount = 8

    let descriptor: Int32
    private let file: SocketFile
    private let attMTU: Int
    private let inboundLimit: Int
    private let helloTimeout: Duration
    private let greetingCountMax: Int
    private let state = Monitor(State())

    private init(
        _ descriptor: Int32,
        _ file: SocketFile,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration
    ) {
        self.descriptor = descriptor
        self.file = file
        self.attMTU = attMTU
        self.inboundLimit = inboundLimit
        self.helloTimeout = helloTimeout
        greetingCountMax = DescriptorBudget.ofProcess.greetingCountMax
    }

    static func open(
        _ address: SocketAddress,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration
    ) throws(SocketError) -> SocketAcceptor {
        try IOThread.require(threadCount)
        let descriptor = try SocketCalls.makeSocket()
        do throws(SocketError) {
            let file = try SocketFile.claim(address, for: descriptor)
            let acceptor = SocketAcceptor(
                descriptor,
                file,
                attMTU: attMTU,
                inboundLimit: inboundLimit,
                helloTimeout: helloTimeout
            )
            do throws(SocketError) {
                try SocketLoop.shared.watch(acceptor)
            } catch {
                file.remove()
                throw error
            }
            return acceptor
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    // MARK: What tasks call

    /// Waits for a peer that has sent a hello.
    func nextLink() async throws(SocketError) -> SocketTransport {
        let link = try await state.wait(as: .receiver) {
            state throws(SocketError) -> SocketTransport? in
            if state.isClosed { throw .closed }
            if let failure = state.failure { throw failure }
            if !state.ready.isEmpty { return state.ready.removeFirst() }
            if !state.isWaiting {
                state.isWaiting = true
                SocketLoop.shared.wake()
            }
            return nil
        }
        if let link { return link }
        state.update { state in state.isWaiting = false }
        throw .cancelled
    }

    /// Sets a closure that is called, on the loop's thread, if the system has no descriptor or
    /// memory for another peer and there is no peer without a hello to disconnect instead.
    func onShortage(_ body: (@Sendable () -> Void)?) {
        state.update { state in state.onShortage = body }
    }

    func close() {
        let (greeting, ready) = state.update(waking: .receiver) { state in
            // Remove the file once, while the socket is still open. Afterward, another listener may
            // own the path, even with the same inode number if the file system has reused it.
            if !state.isClosed { file.remove() }
            state.isClosed = true
            defer { (state.greeting, state.ready) = ([], []) }
            return (state.greeting, state.ready)
        }
        for link in greeting { link.close(.local) }
        for link in ready { link.close(.local) }
        SocketLoop.shared.wake()
    }

    // MARK: What the loop calls

    func interest() -> SocketInterest? {
        state.read { state in
            if state.isClosed { return nil }
            guard state.isWaiting, state.failure == nil else { return SocketInterest(events: 0) }
            if let end = state.pauseEnd { return SocketInterest(events: 0, deadline: end) }
            return SocketInterest(events: POLLIN)
        }
    }

    func handle(events: Int32) {
        state.update { state in state.pauseEnd = nil }
        for _ in 0..<Self.batchCountMax {
            let peer = Glibc.accept(descriptor, nil, nil)
            if peer >= 0 {
                greet(peer)
                continue
            }
            let errno = SocketCalls.lastErrno
            switch errno {
            case .interrupted, .connectionAbort: continue
            case .resourceTemporarilyUnavailable: return
            default:
                if SocketCalls.isShortage(errno) {
                    waitForRoom()
                } else {
                    fail(.system(call: "accept", errno))
                }
                return
            }
        }
    }

    func finish() { _ = Glibc.close(descriptor) }

    private func greet(_ peer: Int32) {
        guard SocketCalls.setNonBlockingAndCloseOnExec(peer) else {
            _ = Glibc.close(peer)
            return
        }
        // If a link can't be started, only that peer is affected.
        let link = try? SocketLink.start(
            peer,
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: helloTimeout
        ) { [weak self] link, limits in self?.greeted(link, limits) }
        guard let link else { return }
        let excess = state.update { state -> SocketLink? in
            if state.isClosed { return link }
            state.greeting.append(link)
            return state.greeting.count > greetingCountMax ? state.greeting.removeFirst() : nil
        }
        excess?.close(.local)
    }

    /// - Parameter limits: `nil` for a peer that never sent a hello.
    private func greeted(_ link: SocketLink, _ limits: TransportLimits?) {
        let isTaken = state.update(waking: .receiver) { state -> Bool in
            state.greeting.removeAll { $0 === link }
            guard let limits, !state.isClosed else { return false }
            state.ready.append(SocketTransport(limits: limits, link: link))
            state.isWaiting = false
            return true
        }
        if !isTaken { link.close(.local) }
    }

    private func waitForRoom() {
        let (silent, onShortage) = state.update { state in
            state.pauseEnd = .now + Self.shortagePause
            return (state.greeting.isEmpty ? nil : state.greeting.removeFirst(), state.onShortage)
        }
        if let silent { silent.close(.local) } else { onShortage?() }
    }

    private func fail(_ error: SocketError) {
        state.update(waking: .receiver) { state in state.failure = error }
    }
}
