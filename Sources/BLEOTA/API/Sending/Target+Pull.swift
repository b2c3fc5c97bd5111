import SystemPackage

extension Target {
    /// Pulls an image that the peer serves, and returns once the verified image is in the file.
    ///
    /// ```swift
    /// let report = try await Target.socket("/run/device.socket").pull("log.bin", to: "log.bin")
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name under which the peer serves the image.
    ///   - path: the path at which the verified file appears. An existing file is not replaced:
    ///     the pull fails unless that file is empty or already is the image.
    ///   - policy: which images to accept. Default: all, for any device.
    ///   - options: limits and logging.
    /// - Returns: the statistics of the transfer.
    /// - Throws: a ``TransferError`` if the image could not be fetched; its code is
    ///   `noSuchObject` if the peer serves no image under that name.
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

    /// Pulls an image from the peer into a store, and returns once the store has verified it
    /// and made it current. Otherwise the same as ``pull(_:to:accepting:options:)``.
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

    /// Pulls an image into a store and reports each step as it happens. The transfer starts
    /// when the first update is requested.
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

    /// Asks the device which image it runs.
    ///
    /// - Throws: a ``TransferError`` with the code `silent` if the device does not answer
    ///   within five seconds; otherwise with `linkLost`, `cannotConnect` or `cancelled`.
    public func runningImage() async throws(TransferError) -> RunningImage {
        let link = try await connector.connect()
        defer { link.close(.local) }
        return try await BLEOTA.runningImage(over: link)
    }
}
