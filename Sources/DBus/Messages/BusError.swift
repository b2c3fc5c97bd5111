/// The reason why a call on a bus failed.
public enum BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The called object or the bus replied with an error.
    case answered(name: String, message: String)
    /// The bus cannot be reached, or went away before the reply arrived.
    case disconnected(String)
    /// The caller's time limit has passed; the call may still take effect.
    case deadline
    /// The caller's task was cancelled; the call may still take effect.
    case cancelled

    /// A description for log messages.
    public var description: String {
        switch self {
        case .answered(let name, let message): message.isEmpty ? name : "\(name): \(message)"
        case .disconnected(let why): "not connected to the bus: \(why)"
        case .deadline: "no reply in time"
        case .cancelled: "cancelled"
        }
    }
}
