package import SystemPackage

/// Why a socket link could not be established. The description names the cause and, if there is
/// one, a remedy.
package enum SocketError: Error, Sendable, Hashable {
    /// The path doesn't fit in a socket address: choose a shorter one.
    case pathTooLong(FilePath, byteCount: Int, limit: Int)
    /// Another process is listening on the path: stop it, or choose another path.
    case pathTaken(FilePath)
    /// The file at the path is not a socket; it is left unchanged.
    case notASocket(FilePath)
    /// There is nothing at the path, or a socket at which no process is listening any longer: start
    /// the peer first.
    case nobodyListens(FilePath)
    /// The queue of peers that wait at the path is full: try again.
    case listenerBusy(FilePath)
    /// The peer connected, but did not announce its ATT_MTU within this time.
    case peerSilent(Duration)
    /// The peer does not speak this link protocol or this version of it.
    case peerNotUnderstood(String)
    /// The peer left before the link was up.
    case peerLeft
    /// The listener was closed.
    case closed
    /// The waiting task was cancelled.
    case cancelled
    /// The system refused a call.
    case system(call: String, Errno)
}

extension SocketError: CustomStringConvertible {
    /// One sentence for the user.
    package var description: String {
        switch self {
        case .pathTooLong(let path, let byteCount, let limit):
            "The socket path \(path) is \(byteCount) bytes long, but the system allows only "
                + "\(limit); choose a shorter one."
        case .pathTaken(let path):
            "Another process is listening on \(path); stop that process, or choose another path."
        case .notASocket(let path):
            "\(path) is not a socket, and was left unchanged; choose another path."
        case .nobodyListens(let path):
            "No process is listening on \(path); start the receiver first."
        case .listenerBusy(let path):
            "Too many peers are waiting to connect to \(path); try again later."
        case .peerSilent(let duration):
            "The peer connected, but did not announce its ATT_MTU within \(duration); check that "
                + "it is a receiver, then try again."
        case .peerNotUnderstood(let sentence):
            sentence
        case .peerLeft:
            "The peer disconnected before the link was set up; check that the receiver is still "
                + "running, then try again."
        case .closed:
            "The listener was closed."
        case .cancelled:
            "The task that waited for the link was cancelled."
        case .system(let call, let errno):
            "The system call \(call) failed: \(errno)."
        }
    }
}
