import ArgumentParser
import BLEOTA
import BLEOTAWire

#if BlueZ
import BLEOTABlueZ
#endif

/// The one receiver that a command reaches: over Bluetooth, a socket or a serial line.
struct ReceiverOptions: ParsableArguments {
    #if BlueZ
    @Option(
        help: ArgumentHelp(
            "Device, by name or address; by default the only one in range.",
            valueName: "NAME"
        )
    )
    var device: String?
    #endif

    @OptionGroup var connectOption: ConnectOption

    #if BlueZ
    @OptionGroup(title: "Bluetooth") var l2cap: L2CAPOption
    @OptionGroup(title: "Bluetooth") var pairing: PairingOptions
    @OptionGroup(title: "Bluetooth") var adapterOption: AdapterOption
    #endif

    func validate() throws {
        #if BlueZ
        if connectOption.connect != nil, device != nil {
            throw ValidationError(
                "choose one target: --device or --connect \(TargetArgument.valueName)"
            )
        }
        if connectOption.connect != nil, pairing.pair {
            throw ValidationError("--pair needs --device")
        }
        #else
        if connectOption.connect == nil {
            throw ValidationError("choose a target: --connect \(TargetArgument.valueName)")
        }
        #endif
    }

    /// Runs work with a connector to the receiver, and releases the receiver afterward.
    ///
    /// - Parameters:
    ///   - attMTU: the largest ATT_MTU; by default 517 over Bluetooth, and 247 otherwise.
    ///   - timeout: the longest wait for the other end of a socket or of a serial line.
    ///   - searchLimit: the longest search for the device.
    func reach(
        attMTU: Int? = nil,
        timeout: Duration,
        searchLimit: Duration,
        trace: TraceFile?,
        _ reporter: Reporter,
        _ work: (ToolConnector) async throws -> Void
    ) async throws {
        if let target = connectOption.connect {
            let mtu = attMTU ?? 247
            return try await work(
                ToolConnector(target, attMTU: mtu, timeout: timeout, reporter, trace: trace)
            )
        }
        #if BlueZ
        let session = try await BluetoothSession(adapter: adapterOption.adapter)
        let agent = try await pairing.agent(session.client)
        defer { withExtendedLifetime(agent) {} }
        let target = device.map { DeviceTarget($0) } ?? .onlyOne
        let devices = DeviceConnector(
            session.client,
            adapter: adapterOption.adapter,
            to: target,
            attMTUMax: attMTU ?? 517,
            within: searchLimit,
            pairs: pairing.pair,
            allowsChannel: !l2cap.noL2cap
        )
        do {
            try await work(ToolConnector(devices, to: "\(target)", reporter, trace: trace))
        } catch {
            await devices.awaitEnd()
            guard let failure = error as? TransferError else { throw error }
            throw pairing.explained(
                failure,
                hasHeard: devices.hasHeard,
                bondedAddress: devices.bondedAddress,
                version: devices.protocolVersion
            )
        }
        await devices.awaitEnd()
        #endif
    }
}

/// A receiver that is reached without Bluetooth.
struct ConnectOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Receiver to reach over a socket or a serial line.",
            valueName: "TARGET"
        ),
        completion: TargetCompletion.own,
        transform: TargetArgument.init(argument:)
    )
    var connect: TargetArgument?
}
