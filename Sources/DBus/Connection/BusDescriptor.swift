import Glibc
import Synchronization

/// A file descriptor that came or goes with a message; closed when the last reference goes, or
/// before that by ``close()``.
public final class BusDescriptor: Sendable, Hashable {
    private struct State {
        var number: CInt?
        var waits: [PendingCall] = []
    }

    private let state: Mutex<State>

    /// Takes over an open descriptor; a negative number is one that is closed.
    public init(owning number: CInt) { state = Mutex(State(number: number < 0 ? nil : number)) }

    deinit { close() }

    /// Lets `body` use the descriptor, which stays open meanwhile; `nil` once it is closed.
    public func withNumber<Value: Sendable>(_ body: (CInt) -> Value) -> Value? {
        state.withLock { state in state.number.map(body) }
    }

    /// Whether it was closed.
    public var isClosed: Bool { state.withLock { $0.number == nil } }

    /// Closes it; later calls do nothing.
    public func close() {
        let (open, waits) = state.withLock { state in
            let waits = state.waits
            state.waits = []
            return (state.number.take(), waits)
        }
        if let open { Glibc.close(open) }
        for wait in waits { wait.end(.failure(.cancelled)) }
    }

    /// Ends a wait when this is closed, or now if it is.
    func endAtClose(_ wait: PendingCall) {
        let isClosed = state.withLock { state in
            state.waits.removeAll { $0.isOver }
            if state.number != nil { state.waits.append(wait) }
            return state.number == nil
        }
        if isClosed { wait.end(.failure(.cancelled)) }
    }

    /// The same object.
    public static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
