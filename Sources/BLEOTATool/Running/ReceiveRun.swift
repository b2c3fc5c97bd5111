import BLEOTA
import BLEOTASMP
import Synchronization

/// Serves the peers of a receiver over all protocols, until one of the links fails.
struct ReceiveRun: Sendable {
    private let links: ReceiveLinks
    private let service: Service
    private let intake: UploadIntake
    private let installer: Installer
    private let events: ReceiveReporter
    private let trace: TraceFile?

    init(
        _ links: ReceiveLinks,
        _ service: Service,
        _ intake: UploadIntake,
        _ installer: Installer,
        _ events: ReceiveReporter,
        _ trace: TraceFile?
    ) {
        self.links = links
        self.service = service
        self.intake = intake
        self.installer = installer
        self.events = events
        self.trace = trace
    }

    /// - Parameter isOnce: whether to return after the first image that became current.
    func serve(isOnce: Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let bleota = links.bleota {
                group.addTask { try await serve(bleota, isOnce: isOnce) }
            }
            if let smp = links.smp { group.addTask { try await serve(smp, isOnce: isOnce) } }
            defer { group.cancelAll() }
            // When the first task ends, all others are cancelled.
            _ = try await group.next()
        }
    }

    private func serve(_ links: any LinkSource, isOnce: Bool) async throws {
        try await service.run(isOnce: isOnce) {
            let guest = try await links.next()
            return guest.over(guest.link.instrumented(faults: nil, trace: trace))
        }
    }

    private func serve(_ links: any SMPLinkSource, isOnce: Bool) async throws {
        let (first, current) = AsyncStream<Void>.makeStream()
        let server = SMPService(into: intake) { [installer, events] event, guest in
            events.tell(event, of: guest)
            switch event {
            case .stored(let image, let isOnTrial):
                installer.install(image, isOnTrial: isOnTrial)
                current.yield()
            default: break
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(links) }
            if isOnce { group.addTask { for await _ in first { return } } }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }
}
