package import BLEOTA
package import BlueZ

/// A source of links to centrals over Bluetooth.
package struct BluetoothLinks: LinkSource, GATTPipeSource {
    private let peripheral: Peripheral
    private let agent: PairingAgent?
    /// The advertised name.
    package let name: String
    /// The adapter's address, or its name if the address is unknown.
    package let address: String

    /// Starts advertising.
    ///
    /// - Parameters: the parameters of `Endpoint.bluetooth`, the service of another protocol to
    ///   offer as well, and whether to offer L2CAP channels.
    package init(
        adapter: String?,
        name: String?,
        firmwareVersion: String,
        wantsUpdate: Bool = false,
        attMTU: Int,
        security: LinkSecurity,
        pipe: GATTPipeService? = nil,
        offersChannels: Bool = true,
        showPasskey: @escaping @Sendable (_ digits: String) -> Void
    ) async throws(BlueZError) {
        let client = try await BlueZClient.open(within: .seconds(2))
        let adapter = try client.readyAdapter(adapter, for: .peripheral)
        // A central must be able to pair before it can begin a session, and this machine may have
        // no other agent.
        agent =
            switch security {
            case .open: nil
            case .encrypted: try await PairingAgent.register(JustWorks(), client: client)
            case .authenticated:
                try await PairingAgent.register(
                    PasskeyDisplay(show: showPasskey),
                    client: client
                )
            }
        peripheral = try await Peripheral.start(
            client,
            adapter: adapter.name,
            name: name,
            firmwareVersion: firmwareVersion,
            wantsUpdate: wantsUpdate,
            attMTUMax: attMTU,
            security: security,
            pipe: pipe,
            offersChannels: offersChannels
        )
        self.name = name ?? adapter.alias ?? ""
        address = adapter.address?.text ?? adapter.name
    }

    package var place: String { "\(name), \(address)" }

    /// No idle limit, because a central may stay connected to use other services; and a patience
    /// of 5 s, because its packets may be delayed by seconds.
    package var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.idleLimit = nil
        limits.patience = .seconds(5)
        return limits
    }

    package func next() async throws(TransferError) -> Guest {
        guard let link = await peripheral.accept() else { throw TransferError(.cancelled) }
        return Guest(link, name: "a Bluetooth central")
    }

    package func nextPipe() async -> (any GATTPipe)? { await peripheral.acceptPipe() }

    package func end() async {
        await peripheral.stop()
        await agent?.unregister()
    }
}
