import SystemPackage

extension Target {
    /// Fetches an image that the peer serves, into a file, and returns when it is verified and
    /// there.
    ///
    /// ```swift
    /// let report = try await Target.socket("/run/device.socket").pull("log.bin", to: "log.bin")
    /// ```
    ///
    /// - Parameters:
    ///   - name: under which the peer serves it.
    ///   - path: where the file appears when it is whole. What is there stays, and the pull fails,
    ///     unless it is this very image.
    /// - Throws: why it is not there; `noSuchObject` when the peer serves nothing under that name.
    public func pull(
        _ name: String,
        to path: String,
        accepting policy: AcceptancePolicy = .anyDevice,
        options: PushOptions = PushOptions()
    ) async throws(TransferError) -> TransferReport {
        let store: FileStore
        do throws(StoreError) {
            store = try FileStore(output: FilePath(path), existingOutput: .kept)
        } catch {
            throw TransferError(.store(error))
        }
        return try await pull(name, into: store, accepting: policy, options: options)
    }

    /// The same, into a store.
    public func pull(
        _ name: String,
        into store: any ImageStore,
        accepting policy: AcceptancePolicy = .anyDevice,
        options: PushOptions = PushOptions()
    ) async throws(TransferError) -> TransferReport {
        var report: TransferReport?
        let pulling = pulling(name, into: store, accepting: policy, options: options)
        for try await update in pulling {
            if case .verified(let verified) = update { report = verified }
        }
        guard let report else { preconditionFailure("a pull that succeeds has a report") }
        return report
    }

    /// The same pull, with what it does as it does it. It begins when the first update is asked
    /// for.
    public func pulling(
        _ name: String,
        into store: any ImageStore,
        accepting policy: AcceptancePolicy = .anyDevice,
        options: PushOptions = PushOptions()
    ) -> TransferUpdates<PushUpdate, TransferError> {
        TransferUpdates { sink in
            let record = TransferRecord(options.logger)
            let order = PushOrder { update in
                record.note(update)
                if case .progress = update {
                    sink.yield(update, replacing: "")
                } else {
                    sink.yield(update)
                }
            }
            do throws(TransferError) {
                var run = PullRun(name, into: store, policy: policy, options: options) { event in
                    if case .progress(let progress) = event { order.pass(.progress(progress)) }
                }
                let report = try await Reconnection.run(
                    &run,
                    through: connector,
                    firstLimit: options.connectionLimit,
                    limit: options.reconnectionLimit
                )
                order.verified(report)
                await connector.awaitEnd()
                return .success(())
            } catch {
                await connector.awaitEnd()
                record.note(error)
                return .failure(error)
            }
        }
    }

    /// Asks the device what it runs.
    ///
    /// - Throws: `silent` where it does not answer for five seconds, `linkLost`, `cannotConnect` or
    ///   `cancelled`.
    public func runningImage() async throws(TransferError) -> RunningImage {
        let link = try await connector.connect()
        defer { link.close(.local) }
        return try await BLEOTA.runningImage(over: link)
    }
}
