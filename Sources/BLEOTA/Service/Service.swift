/// Serves all peers of a listener concurrently, until the task is cancelled or the listener is
/// closed. It is meant for a service that runs for months with peers of any kind.
///
/// ```swift
/// let store = try DirectoryStore(directory: "/var/lib/device")
/// let listener = try SocketListener(path: "/run/device.socket")
/// try await serve(listener: listener, into: store) { event in print(event) }
/// ```
///
/// No peer can end the service or shut the others out for long: see ``ServiceLimits``. If a session
/// is cut short, by its peer or by these limits, the store keeps the durable part of the image, and
/// the same transfer resumes from there.
///
/// Cost: one descriptor and no thread per link; 256 KiB of memory per link over which an image
/// arrives.
///
/// - Parameters:
///   - offers: the images that peers may request by name.
///   - onEvent: called on a task of the transfer.
/// - Throws: ``SocketError/closed``, ``SocketError/cancelled``, or ``SocketError/system(call:_:)``
///   if accepting a connection fails for a reason other than a shortage of descriptors or memory.
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

/// Serves any number of peers concurrently with one store.
package struct Service: Sendable {
    private let store: any ImageStore
    private let policy: AcceptancePolicy
    private let offers: [Firmware]
    private let limits: ServiceLimits
    private let onEvent: @Sendable (ReceiverEvent.Kind, _ guest: String) -> Void
    private let roster: LinkRoster
    let turns: StoreTurns

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

    /// Closes a link to make room for another.
    package func makeRoom() { roster.makeRoom() }

    private enum Step: Sendable {
        case arrived(Guest)
        case left(ServedLink.Ending)
    }

    /// Serves all guests until `next` throws, the task is cancelled or, if `isOnce` is true, the
    /// first image is verified and current.
    ///
    /// - Throws: the error of `next` or, if `isOnce` is true, the error with which this device
    ///   failed.
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
