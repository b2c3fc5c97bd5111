import Glibc
import Synchronization

/// A file descriptor that is received or sent with a message. It is closed when the last
/// reference is released, or earlier by ``close()``.
public final class BusDescriptor: Sendable, Hashable {
    private struct State {
        var number: CInt?
        var waits: [PendingCall] = []
    }

    private let state: Mutex<State>

    /// Takes ownership of an open descriptor; a negative number means a closed one.
    public init(owning number: CInt) { state = Mutex(State(number: number < 0 ? nil : number)) }

    deinit { close() }

    /// Passes the descriptor to `body`, and keeps it open during the call; returns `nil` if it is
    /// closed.
    public func withNumber<Value: Sendable>(_ body: (CInt) -> Value) -> Value? {
        state.withLock { state in state.number.map(body) }
    }

    /// Sends a message over a socket, without waiting.
    ///
    /// - Returns: 0, or the error number; `nil` if the descriptor is closed.
    public func sendNow(_ message: [UInt8]) -> CInt? {
        withNumber { number in
            let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
            return send(number, message, message.count, flags) >= 0 ? 0 : errno
        }
    }

    /// Whether the descriptor is closed.
    public var isClosed: Bool { state.withLock { $0.number == nil } }

    /// Closes the descriptor; later calls do nothing.
    public func close() {
        let (open, waits) = state.withLock { state in
            let waits = state.waits
            state.waits = []
            return (state.number.take(), waits)
        }
        if let open { Glibc.close(open) }
        for wait in waits { wait.end(.failure(.cancelled)) }
    }

    /// Ends a wait when the descriptor is closed, or immediately if it is closed already.
    func endAtClose(_ wait: PendingCall) {
        let isClosed = state.withLock { state in
            state.waits.removeAll { $0.isOver }
            if state.number != nil { state.waits.append(wait) }
            return state.number == nil
        }
        if isClosed { wait.end(.failure(.cancelled)) }
    }

    /// Whether both are the same object.
    public static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
