/// How to connect.
package struct ConnectionOptions: Sendable {
    /// Who this client is to the server.
    package enum Credentials: Sendable {
        /// Nobody in particular.
        case none
        /// The owner of a key pair. The seed is read from its file for each connection, and cleared
        /// from memory when it has signed.
        case nkey(NKey, seedFile: String)

        /// The public key, if there is one.
        var user: NKey? {
            switch self {
            case .none: nil
            case .nkey(let key, _): key
            }
        }

        /// What the subjects begin with to which a server sends this client its answers. Each user
        /// has another, so that a server can keep one from reading what another is told.
        package var inboxPrefix: String {
            switch self {
            case .none: "_INBOX"
            case .nkey(let key, _): Self.inboxPrefix(of: key)
            }
        }

        package static func inboxPrefix(of key: NKey) -> String { "_INBOX.\(key)" }
    }

    /// The PEM files for TLS. The server's certificate must be for the host of its address.
    package struct TLSFiles: Sendable {
        /// The certificates of the authorities to trust.
        package var authorities: String
        /// The client's own certificate and key, if the server asks for one.
        package var own: (chain: String, key: String)?

        /// Trusts `authorities`, and shows `own`.
        package init(authorities: String, own: (chain: String, key: String)? = nil) {
            self.authorities = authorities
            self.own = own
        }
    }

    /// The servers, of which one is chosen at random, then the next: 1 to ``Limits/serversMax``.
    /// Others that a server tells of are never used.
    package var servers: [ServerAddress]
    package var credentials = Credentials.none
    /// `nil` for a connection without TLS, which only a server that requires none accepts.
    package var tls: TLSFiles?
    /// What the server's lists and logs call this client.
    package var name: ConsumerName?
    /// How long to wait for one server at the beginning.
    package var connectLimit = Duration.seconds(5)
    /// How long to wait for the answer to one operation, from 1 ms to ``Limits/longestWait``.
    package var requestLimit = Duration.seconds(5)
    /// The pause before each attempt to connect again, plus up to as much again at random, so that
    /// two hundred gateways don't come back in the same moment. There are attempts for ever.
    package var reconnectPause = Duration.milliseconds(250)

    /// How long a seed that can't be read any more is waited for, before the connection is closed.
    package var seedLimit = Duration.seconds(60)

    /// Connects to one of `servers`.
    package init(servers: [ServerAddress]) { self.servers = servers }
}
