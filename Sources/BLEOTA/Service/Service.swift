/// Serves all peers of a listener, side by side, until the task is cancelled or the listener is
/// closed. It is made for a service that runs for months among peers of any kind.
///
/// ```swift
/// let store = try DirectoryStore(directory: "/var/lib/device")
/// let listener = try SocketListener(path: "/run/device.socket")
/// try await serve(listener: listener, into: store) { event in print(event) }
/// ```
///
/// No peer ends it, and none keeps the others out for long: see ``ServiceLimits``. A session that
/// is cut short, by its peer or by these limits, leaves what is durable, and the same transfer goes
/// on from there.
///
/// Cost: a descriptor for each link and no thread; 256 KiB of memory once an image arrives over it.
///
/// - Parameters:
///   - offers: what a peer may ask for, by the names of the images.
///   - onEvent: called on a task of the transfer.
/// - Throws: ``SocketError/closed``, ``SocketError/cancelled``, or what the system refused the
///   listener for another reason than a shortage.
package func serve(
    listener: SocketListener,
    into store: any ImageStore,
    policy: AcceptancePolicy = AcceptancePolicy(),
    offering offers: [Firmware] = [],
    limits: ServiceLimits = ServiceLimits(),
    onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void = { _ in }
) async throws {
    let service = Service(into: store, policy: policy, offering: offers, limits: limits) {
        event,
        _ in onEvent(event)
    }
    listener.onShortage { service.makeRoom() }
    defer { listener.onShortage(nil) }
    try await service.run { Guest(try await listener.accept()) }
}

/// Serves peer after peer, side by side, over one store.
package struct Service: Sendable {
    private let store: any ImageStore
    private let policy: AcceptancePolicy
    private let offers: [Firmware]
    private let limits: ServiceLimits
    private let onEvent: @Sendable (ReceiverEvent.Kind, _ guest: String) -> Void
    private let roster: LinkRoster
    private let turns: StoreTurns

    /// - Parameter onEvent: called on a task of the transfer, with the name of the guest.
    package init(
        into store: any ImageStore,
        policy: AcceptancePolicy,
        offering offers: [Firmware] = [],
        limits: ServiceLimits = ServiceLimits(),
        onEvent: @escaping @Sendable (ReceiverEvent.Kind, _ guest: String) -> Void
    ) {
        self.store = store
        self.policy = policy
        self.offers = offers
        self.limits = limits
        self.onEvent = onEvent
        roster = LinkRoster(linkCountMax: limits.linkCountMax)
        turns = StoreTurns(patience: limits.patience)
    }

    /// Makes room when there is none for another link.
    package func makeRoom() { roster.makeRoom() }

    private enum Step: Sendable {
        case arrived(Guest)
        case left(ServedLink.Ending)
    }

    /// Serves all that come until `next` throws, the task is cancelled or, with `isOnce`, the first
    /// image is verified and current.
    ///
    /// - Throws: what `next` throws; with `isOnce` also what failed on this device.
    package func run(
        isOnce: Bool = false,
        _ next: @escaping @Sendable () async throws -> Guest
    ) async throws {
        try await withThrowingTaskGroup(of: Step.self) { group in
            group.addTask { .arrived(try await next()) }
            while let step = try await group.next() {
                switch step {
                case .arrived(let guest):
                    let link = ServedLink(guest.link, process: guest.process)
                    guard await roster.enter(link) else { return guest.link.close(.local) }
                    group.addTask { .left(await serve(link, guest.name, isOnce: isOnce)) }
                    group.addTask { .arrived(try await next()) }
                case .left(.over): continue
                case .left(.received): return group.cancelAll()
                case .left(.failed(let error)): throw error
                }
            }
        }
    }

    private func serve(
        _ link: ServedLink,
        _ name: String,
        isOnce: Bool
    ) async -> ServedLink.Ending {
        await withTaskGroup(of: Void.self) { group in
            if let limit = limits.idleLimit {
                group.addTask { await link.closeWhenIdle(for: limit) }
            }
            let ending = await link.serve(
                into: store,
                policy: policy,
                offering: offers,
                turns: turns,
                limits: limits,
                isOnce: isOnce
            ) { event in onEvent(event, name) }
            group.cancelAll()
            link.link.close(.local)
            roster.leave(link)
            return ending
        }
    }
}
