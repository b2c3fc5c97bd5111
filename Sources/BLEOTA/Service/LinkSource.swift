/// A source of links for a receiver that serves peers.
package protocol LinkSource: Sendable {
    /// The human-readable name of the source, such as the path of a socket.
    var place: String { get }
    /// The limits that a service sets for these links.
    var limits: ServiceLimits { get }

    /// Waits for the next link.
    func next() async throws(TransferError) -> Guest

    /// Sets the closure to call when the system has no descriptor or memory for another link.
    func onShortage(_ body: @escaping @Sendable () -> Void)

    /// Stops accepting links.
    func end() async
}

extension LinkSource {
    /// Does nothing: there are too few links of this kind for a shortage.
    package func onShortage(_: @escaping @Sendable () -> Void) {}
}
