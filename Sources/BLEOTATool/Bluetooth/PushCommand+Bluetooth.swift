#if BlueZ
import BLEOTA
import BLEOTABlueZ

extension PushCommand {
    /// Pushes to the given devices, or to the only one in range.
    func pushOverBluetooth(
        _ prepared: Firmware,
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
                "\(error.sentence.dropLast()); or choose another target: \(Self.targets)"
            )
        }
        let agent = try await bluetooth.pairing.agent(session.client)
        defer { withExtendedLifetime(agent) {} }
        guard device.count > 1 else {
            let target = device.first.map { DeviceTarget($0) } ?? .onlyOne
            let report = try await push(
                prepared,
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
        try await pushToSeveral(prepared, session, seed, trace, reporter)
    }

    private func push(
        _ prepared: Firmware,
        to target: DeviceTarget,
        _ session: BluetoothSession,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter,
        onProgress: @escaping @Sendable (TransferProgress) -> Void,
        tell: @escaping @Sendable (JSONLine, String) -> Void
    ) async throws -> TransferReport {
        let devices = DeviceConnector(
            session.client,
            adapter: bluetooth.adapterOption.adapter,
            to: target,
            attMTUMax: mtu ?? 517,
            within: options.reconnectionLimit,
            pairs: bluetooth.pairing.pair,
            receives: false,
            onSilentEnd: { [pairs = bluetooth.pairing.pair, isFirst = FirstTime()] in
                guard !pairs, isFirst.take() else { return }
                tell(
                    JSONLine(event: "dropped"),
                    "dropped       the device ended the link before it sent anything; if it needs "
                        + "pairing, add --pair"
                )
            }
        )
        let connector = ToolConnector(
            devices,
            to: "\(target)",
            reporter,
            faults: faults.areAny ? faults.plan(seed: seed) : nil,
            trace: trace
        )
        do {
            let report = try await BLEOTA.push(
                prepared,
                through: connector,
                options: options,
                onProgress: onProgress
            )
            try await awaitRunning(report, through: connector, tell: tell)
            await devices.awaitEnd()
            return report
        } catch {
            await devices.awaitEnd()
            throw bluetooth.pairing.explained(error, devices)
        }
    }

    /// Pushes to all devices, even if some fail. The first failure is the result.
    private func pushToSeveral(
        _ prepared: Firmware,
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
                            prepared,
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
                + "same command again, which skips the devices that are done"
        )
    }
}
#endif
