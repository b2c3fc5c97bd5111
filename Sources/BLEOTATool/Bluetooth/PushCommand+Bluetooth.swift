#if BlueZ
import BLEOTA
import BLEOTABlueZ
import BlueZ

extension PushCommand {
    /// Pushes to the given devices, or to the only one in range.
    func pushOverBluetooth(
        _ image: FirmwareFile,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter
    ) async throws {
        let session: BluetoothSession
        do throws(Failure) {
            session = try await BluetoothSession(adapter: bluetooth.adapterOption.adapter)
        } catch {
            guard device.isEmpty, error.status == .noTarget else { throw error }
            // A user who chose no target may not have meant Bluetooth.
            throw Failure(
                error.status,
                "\(error.sentence.dropLast()); or choose another target: "
                    + Self.targetsWithoutBluetooth
            )
        }
        let agent = try await bluetooth.pairing.agent(session.client)
        defer { withExtendedLifetime(agent) {} }
        let choice = ProtocolChoice(
            among: Protocols.all(isCompressed: !compression.noCompression),
            forced: activation.forcedProtocol?.name
        )
        guard device.count > 1 else {
            let target = device.first.map { DeviceTarget($0) } ?? .onlyOne
            let report = try await push(
                image,
                by: choice,
                to: target,
                session,
                seed,
                trace,
                reporter,
                onProgress: reporter.progress,
                tell: { event, line in
                    reporter.event(event)
                    reporter.note(line)
                }
            )
            return Conclusion(report, writeMode: writeMode).tell(reporter)
        }
        try await pushToSeveral(image, by: choice, session, seed, trace, reporter)
    }

    private func push(
        _ image: FirmwareFile,
        by choice: ProtocolChoice,
        to target: DeviceTarget,
        _ session: BluetoothSession,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter,
        onProgress: @escaping @Sendable (TransferProgress) -> Void,
        tell: @escaping @Sendable (JSONLine, String) -> Void
    ) async throws -> TransferReport {
        let device = BluetoothDevice(
            session.client,
            adapter: bluetooth.adapterOption.adapter,
            to: target,
            services: choice.services.compactMap { BluetoothUUID($0) },
            attMTUMax: mtu ?? 517,
            within: options.reconnectionLimit,
            pairs: bluetooth.pairing.pair,
            allowsChannel: !bluetooth.l2cap.noL2cap,
            onSilentEnd: { [pairs = bluetooth.pairing.pair, isFirst = FirstTime()] in
                guard !pairs, isFirst.take() else { return }
                tell(
                    JSONLine(event: "dropped"),
                    "dropped       the device ended the link before it sent anything; if it needs "
                        + "pairing, add --pair"
                )
            }
        )
        do {
            let chosen = try await chosen(choice, for: image, device)
            let isOwn = chosen.name == "bleota"
            tell(
                JSONLine(event: "protocol").adding("name", chosen.name),
                "protocol      \(chosen.name)"
            )
            let presenter = PushPresenter(
                peer: "\(target)",
                tellsLinks: !isOwn,
                awaitsRunning: waitConfirmed || !isOwn && !activation.uploadOnly,
                onProgress: onProgress,
                tell: tell
            )
            let report = try await chosen.update.push(
                to: ToolDevice(
                    device,
                    reporter,
                    faults: faults.areAny ? faults.plan(seed: seed) : nil,
                    trace: trace
                ),
                onUpdate: presenter.show
            )
            if isOwn { tellLink(device, reporter) }
            await device.awaitEnd()
            return report
        } catch {
            await device.awaitEnd()
            throw bluetooth.pairing.explained(
                error,
                hasHeard: device.hasHeard,
                bondedAddress: device.bondedAddress,
                version: device.protocolVersion
            )
        }
    }

    /// Reports the binding that carried the frames. The binding determines how fast a push can be.
    private func tellLink(_ device: BluetoothDevice, _ reporter: Reporter) {
        reporter.event(
            JSONLine(event: "link").adding("device", device.description)
                .adding("binding", device.usesChannel ? "l2cap" : "gatt")
        )
    }

    /// Connects to the device, and chooses the protocol by its services.
    private func chosen(
        _ choice: ProtocolChoice,
        for image: FirmwareFile,
        _ device: BluetoothDevice
    ) async throws(TransferError) -> ProtocolChoice.Chosen {
        let services = try await device.discoverServices()
        do throws(TransferError) {
            return try choice.choose(
                for: image,
                services: services,
                device: device.description,
                options: updateOptions
            )
        } catch {
            await device.release()
            throw error
        }
    }

    /// Pushes to all devices, even if some fail. The first failure is the result.
    private func pushToSeveral(
        _ image: FirmwareFile,
        by choice: ProtocolChoice,
        _ session: BluetoothSession,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter
    ) async throws {
        let board = ProgressBoard(device, reporter)
        let failed = await withTaskGroup(of: Failure?.self) { group in
            var failed: [Failure] = []
            for (index, name) in device.enumerated() {
                if index >= bluetooth.parallel, let failure = await group.next() ?? nil {
                    failed.append(failure)
                }
                if Task.isCancelled { break }
                group.addTask {
                    do {
                        let report = try await push(
                            image,
                            by: choice,
                            to: DeviceTarget(name),
                            session,
                            seed &+ UInt64(index),
                            trace,
                            reporter,
                            onProgress: { board.show($0, of: index) },
                            tell: { board.tell($0, $1, of: index) }
                        )
                        board.conclude(report, writeMode, of: index)
                        return nil
                    } catch {
                        let failure = Command.failure(of: error)
                        board.fail(failure, of: index)
                        return failure
                    }
                }
            }
            for await case let failure? in group { failed.append(failure) }
            return failed
        }
        board.end()
        guard let first = failed.first else { return }
        throw Failure(
            first.status,
            "\(failed.count) of \(device.count) devices failed, as listed above; run the "
                + "same command again to retry only the failed devices"
        )
    }
}

/// A Bluetooth device whose links of bleota's own protocol have faults and a trace.
private struct ToolDevice: UpdateDevice {
    let connector: any Connector
    let gatt: any GATTDevice
    let description: String

    init(
        _ device: BluetoothDevice,
        _ reporter: Reporter,
        faults: FaultPlan?,
        trace: TraceFile?
    ) {
        connector = ToolConnector(
            device.connector,
            to: device.description,
            reporter,
            faults: faults,
            trace: trace
        )
        gatt = device.gatt
        description = device.description
    }
}
#endif
