/// A link from a peer, and the known facts about that peer.
package struct Guest: Sendable {
    package let link: any Transport
    /// A human-readable name for the peer, such as "process 4711".
    package let name: String
    /// The peer's process; `nil` if it is unknown.
    package let process: Int32?

    package init(_ link: any Transport, name: String, process: Int32? = nil) {
        self.link = link
        self.name = name
        self.process = process
    }

    /// Returns the same guest with another link, such as one that wraps the original.
    package func over(_ link: any Transport) -> Guest {
        Guest(link, name: name, process: process)
    }
}

extension Guest {
    /// A link that a listener accepted.
    package init(_ link: SocketTransport) {
        let process = link.peerProcess
        self.init(
            link,
            name: process.map { "process \($0)" } ?? "another process",
            process: process
        )
    }
}
