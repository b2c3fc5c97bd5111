/// Why a call on a bus failed.
public enum BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The object called, or the bus, answered with an error.
    case answered(name: String, message: String)
    /// The bus can't be reached, or went away before the answer came.
    case disconnected(String)
    /// The caller's own deadline passed; what was asked for may still happen.
    case deadline
    /// The caller's task was cancelled; what was asked for may still happen.
    case cancelled

    /// What happened, for a log.
    public var description: String {
        switch self {
        case .answered(let name, let message): message.isEmpty ? name : "\(name): \(message)"
        case .disconnected(let why): "not connected to the bus: \(why)"
        case .deadline: "no answer in time"
        case .cancelled: "cancelled"
        }
    }
}
