#if BlueZ
import BLEOTABlueZ

/// Links of centrals, over Bluetooth.
struct BluetoothLinks: LinkSource {
    private let session: BluetoothSession
    private let peripheral: Peripheral
    private let agent: PairingAgent?

    init(
        adapter: String?,
        name: String?,
        firmwareVersion: String?,
        attMTU: Int,
        security: LinkSecurity,
        _ reporter: Reporter
    ) async throws(Failure) {
        session = try await BluetoothSession(adapter: adapter, for: .peripheral)
        do throws(BlueZError) {
            // Who may begin a session has to be able to pair, and nobody else answers here.
            agent =
                switch security {
                case .open: nil
                case .encrypted:
                    try await PairingAgent.register(JustWorks(), client: session.client)
                case .authenticated:
                    try await PairingAgent.register(
                        PasskeyDisplay(reporter: reporter),
                        client: session.client
                    )
                }
            peripheral = try await Peripheral.start(
                session.client,
                adapter: session.adapter.name,
                name: name,
                firmwareVersion: firmwareVersion ?? "",
                attMTUMax: attMTU,
                security: security
            )
        } catch {
            throw Failure(error)
        }
        let shown = name ?? session.adapter.alias ?? ""
        reporter.event(
            JSONLine(event: "advertising").adding("name", shown)
                .adding("address", session.adapter.address?.text)
        )
        reporter.note(
            "advertising   \(shown), \(session.adapter.address?.text ?? session.adapter.name)"
        )
    }

    /// A central may stay connected and look at other services, and its packets may take seconds.
    var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.idleLimit = nil
        limits.patience = .seconds(5)
        return limits
    }

    func next() async throws -> Guest {
        guard let link = await peripheral.accept() else { throw TransferError(.cancelled) }
        return Guest(link, name: "a Bluetooth central")
    }

    func end() async {
        await peripheral.stop()
        await agent?.unregister()
    }
}
#endif
