import BLEOTACore
import Glibc
import SystemPackage

/// The listening socket of a ``SocketListener``, and the peers that have not said hello yet.
///
/// Peers are accepted only while a task waits for one; those that come in between wait in the
/// kernel. All that are accepted are greeted side by side, so that one who says nothing delays
/// nobody. A shortage of descriptors or memory makes the acceptor wait, and never ends it.
final class SocketAcceptor: WatchedSocket {
    private struct State {
        var isClosed = false
        /// A task waits for a peer.
        var isWaiting = false
        /// What ends the acceptor that is neither a peer's fault nor a shortage.
        var failure: SocketError?
        /// Connected, and without a hello; the oldest first.
        var greeting: [SocketLink] = []
        /// Links that are up and nobody has taken yet.
        var ready: [SocketTransport] = []
        /// There was a shortage: until when nobody is accepted.
        var pauseEnd: ContinuousClock.Instant?
        var onShortage: (@Sendable () -> Void)?
    }

    /// Peers that are accepted in one turn of the loop, so that links are served in between.
    private static let batchCountMax = 16
    /// How long a shortage lasts at least: fifty looks a second cost nothing, and nobody notices
    /// a fiftieth of a second.
    private static let shortagePause: Duration = .milliseconds(20)

    /// A thread for the links, one for each processor that runs tasks, and some of Dispatch, for
    /// timers, the store and signals.
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

    /// Waits for a peer that has said hello.
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

    /// What is called, on the loop's thread, whenever the system has no descriptor or memory for
    /// another peer and no peer without a hello could be sent away instead.
    func onShortage(_ body: (@Sendable () -> Void)?) {
        state.update { state in state.onShortage = body }
    }

    func close() {
        let (greeting, ready) = state.update(waking: .receiver) { state in
            // Once, and while the socket is still open: afterwards another listener may own the
            // path, with an inode number that the file system has used again.
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
        // A link that can't be started is that peer's loss, and nobody else's.
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

    /// - Parameter limits: `nil` for a peer that never said hello.
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
