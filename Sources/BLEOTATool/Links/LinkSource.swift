import BLEOTA

/// Where the links of a receiver come from.
protocol LinkSource: Sendable {
    /// What a service grants these links.
    var limits: ServiceLimits { get }

    /// Waits for the next link.
    func next() async throws -> Guest

    /// Sets what is called when the system has no descriptor or memory for another link.
    func onShortage(_ body: @escaping @Sendable () -> Void)

    /// Takes no more links.
    func end() async
}

extension LinkSource {
    /// There are too few links of this kind to run short.
    func onShortage(_: @escaping @Sendable () -> Void) {}
}
