package import BLEOTA

/// A link from a client of this device.
package struct SMPGuest: Sendable {
    package let link: any SMPLink
    /// A human-readable name for the client.
    package let name: String
    /// Whether the link delivers whole messages instead of pieces.
    package let carriesWholeMessages: Bool

    package init(_ link: any SMPLink, name: String, carriesWholeMessages: Bool) {
        self.link = link
        self.name = name
        self.carriesWholeMessages = carriesWholeMessages
    }
}

/// A source of links from clients.
package protocol SMPLinkSource: Sendable {
    /// The human-readable name of the source, such as the path of a serial line.
    var place: String { get }

    /// Waits for the next client.
    func next() async throws(TransferError) -> SMPGuest

    /// Stops accepting clients, and ends their links.
    func end() async
}
