/// Where the links of a receiver come from, while it serves.
package protocol LinkSource: Sendable {
    /// What people call the place, such as the path of a socket.
    var place: String { get }
    /// What a service grants these links.
    var limits: ServiceLimits { get }

    /// Waits for the next link.
    func next() async throws(TransferError) -> Guest

    /// Sets what is called when the system has no descriptor or memory for another link.
    func onShortage(_ body: @escaping @Sendable () -> Void)

    /// Takes no more links.
    func end() async
}

extension LinkSource {
    /// There are too few links of this kind to run short.
    package func onShortage(_: @escaping @Sendable () -> Void) {}
}
