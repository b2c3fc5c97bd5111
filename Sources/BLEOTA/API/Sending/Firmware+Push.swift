extension Firmware {
    /// Sends the image, and returns when the receiver has verified it and made it current.
    ///
    /// ```swift
    /// let firmware = try await Firmware(contentsOf: "firmware.bin")
    /// let report = try await firmware.push(to: .socket("/run/device.socket"))
    /// print("verified: \(report)")
    /// ```
    ///
    /// Lost links are made again, with pauses of 0.25 s doubled up to 8 s. Cancelling the task
    /// stops the transfer cleanly. What the receiver has stored stays there, and the next push of
    /// the same image goes on from it.
    ///
    /// - Throws: why the image is not current, or not confirmed where that was asked for.
    public func push(
        to target: Target,
        options: PushOptions = PushOptions()
    ) async throws(TransferError) -> TransferReport {
        var report: TransferReport?
        for try await update in pushing(to: target, options: options) {
            if case .verified(let verified) = update { report = verified }
        }
        guard let report else { preconditionFailure("a push that succeeds has a report") }
        return report
    }

    /// The same push, with what it does as it does it. It begins when the first update is asked
    /// for.
    ///
    /// ```swift
    /// for try await update in firmware.pushing(to: .serial("/dev/ttyUSB0")) {
    ///     if case .progress(let progress) = update { bar.value = progress.fractionStored }
    /// }
    /// ```
    public func pushing(
        to target: Target,
        options: PushOptions = PushOptions()
    ) -> TransferUpdates<PushUpdate, TransferError> {
        TransferUpdates { sink in
            let record = TransferRecord(options.logger)
            let order = PushOrder { update in
                record.note(update)
                sink.yield(update, replacing: update.progressKey)
            }
            do throws(TransferError) {
                var run = PushRun(variants, options: options, onUpdate: order.pass)
                let report = try await Reconnection.run(
                    &run,
                    through: target.connector,
                    firstLimit: options.connectionLimit,
                    limit: options.reconnectionLimit
                )
                order.verified(report)
                if let limit = options.confirmationLimit {
                    try await awaitRunning(
                        report.sha256,
                        through: target.connector,
                        limit: limit
                    ) { order.pass(.running($0)) }
                    order.pass(.confirmed(report))
                }
                await target.connector.awaitEnd()
                return .success(())
            } catch {
                await target.connector.awaitEnd()
                record.note(error)
                return .failure(error)
            }
        }
    }
}

extension PushUpdate {
    fileprivate var progressKey: String? {
        if case .progress = self { "" } else { nil }
    }
}
