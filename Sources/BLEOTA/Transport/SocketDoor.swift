import Glibc

/// The listening socket of a ``SocketListener`` and the thread that watches it.
///
/// The thread polls the socket only while a task waits; peers that come in between wait in the
/// kernel. It alone closes the descriptor, after `isClosed` was set under the lock.
final class SocketDoor: Sendable {
    private struct State {
        var isClosed = false
        /// A task waits for a peer, so the thread has to watch for one.
        var isWaiting = false
    }

    private let descriptor: Int32
    private let file: SocketFile
    private let wakePipe: WakePipe
    private let state = Monitor(State())

    private init(_ descriptor: Int32, _ file: SocketFile, _ wakePipe: WakePipe) {
        self.descriptor = descriptor
        self.file = file
        self.wakePipe = wakePipe
    }

    static func open(_ address: SocketAddress) throws(SocketError) -> SocketDoor {
        let wakePipe = try WakePipe()
        let descriptor = try SocketCalls.makeSocket()
        do throws(SocketError) {
            let file = try SocketFile.claim(address, for: descriptor)
            let door = SocketDoor(descriptor, file, wakePipe)
            do throws(SocketError) {
                try IOThread.start { door.run() }
            } catch {
                file.remove()
                throw error
            }
            return door
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    /// Waits for a peer.
    ///
    /// - Returns: its descriptor, which the caller owns.
    func nextPeer() async throws(SocketError) -> Int32 {
        let peer = try await state.wait(as: .receiver) { state throws(SocketError) -> Int32? in
            if state.isClosed { throw .closed }
            if let peer = try acceptNow() { return peer }
            state.isWaiting = true
            wakePipe.wake()
            return nil
        }
        guard let peer else { throw .cancelled }
        return peer
    }

    private func acceptNow() throws(SocketError) -> Int32? {
        while true {
            let peer = Glibc.accept(descriptor, nil, nil)
            if peer >= 0 {
                if SocketCalls.setNonBlockingAndCloseOnExec(peer) { return peer }
                let errno = SocketCalls.lastErrno
                _ = Glibc.close(peer)
                throw .system(call: "fcntl", errno)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw .system(call: "accept", SocketCalls.lastErrno)
            }
        }
    }

    func close() {
        state.update(waking: .receiver) { state in
            // Once, and while the socket is still open: afterwards another listener may own the
            // path, with an inode number that the file system has used again.
            if !state.isClosed { file.remove() }
            state.isClosed = true
        }
        wakePipe.wake()
    }

    private func run() {
        while let isWaiting = state.read({ state in state.isClosed ? nil : state.isWaiting }) {
            let events = isWaiting ? POLLIN : 0
            if wakePipe.wait(for: descriptor, events: events, milliseconds: -1) != 0 {
                state.update(waking: .receiver) { state in state.isWaiting = false }
            }
        }
        _ = Glibc.close(descriptor)
        wakePipe.close()
    }
}
