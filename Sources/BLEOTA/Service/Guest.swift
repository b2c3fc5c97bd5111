/// A link that somebody has made, and what is known of who that is.
package struct Guest: Sendable {
    package let link: any Transport
    /// For people, such as "process 4711".
    package let name: String
    /// The process at the other end; `nil` where it is not known.
    package let process: Int32?

    package init(_ link: any Transport, name: String, process: Int32? = nil) {
        self.link = link
        self.name = name
        self.process = process
    }

    /// The same guest over a link that was made of its own.
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
