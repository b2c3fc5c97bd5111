package import BLEOTA

/// Serves any number of SMP clients with one store.
package struct SMPService: Sendable {
    private let intake: UploadIntake
    private let identity: ServerIdentity
    private let onEvent: @Sendable (UploadEvent, _ guest: String) -> Void

    /// - Parameter onEvent: called with an event and the name of the client, on the task that
    ///   serves the client.
    package init(
        into intake: UploadIntake,
        identity: ServerIdentity = .ofThisMachine,
        onEvent: @escaping @Sendable (UploadEvent, _ guest: String) -> Void
    ) {
        self.intake = intake
        self.identity = identity
        self.onEvent = onEvent
    }

    /// Serves clients until `links` throws or the task is cancelled.
    package func run(_ links: any SMPLinkSource) async throws(TransferError) {
        let failure = await withDiscardingTaskGroup { group -> TransferError? in
            do throws(TransferError) {
                while true {
                    let guest = try await links.next()
                    group.addTask { await serve(guest) }
                }
            } catch {
                group.cancelAll()
                return error
            }
        }
        if let failure { throw failure }
    }

    private func serve(_ guest: SMPGuest) async {
        var session = SMPSession(guest, into: intake, identity: identity) { event in
            onEvent(event, guest.name)
        }
        await session.run()
        guest.link.close(.local)
    }
}
