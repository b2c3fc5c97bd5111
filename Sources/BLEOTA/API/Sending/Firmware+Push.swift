extension Firmware {
    /// Sends the image and returns once the receiver has verified it and made it current.
    /// ```swift
    /// let firmware = try await Firmware(contentsOf: "firmware.bin")
    /// let report = try await firmware.push(to: .socket("/run/device.socket"))
    /// print("verified: \(report)")
    /// ```
    ///
    /// If the link is lost, the push connects again: it waits 0.25 s before the first attempt,
    /// and doubles the pause after each failed one, up to 8 s. Cancelling the task stops the
    /// transfer cleanly. Even then the receiver keeps all stored data, and the next push of the
    /// same image resumes from there.
    ///
    /// - Parameters:
    ///   - target: the receiver to send to.
    ///   - options: limits, flow control and logging.
    /// - Returns: the statistics of the transfer.
    /// - Throws: a ``TransferError`` if the receiver did not make the image current, or if
    ///   ``PushOptions/confirmationLimit`` is set and the device did not confirm the image.
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

    /// Sends the image as ``push(to:options:)`` does and reports each step as it happens. The
    /// transfer starts when the first update is requested.
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
            do throws(TransferError) {
                _ = try await push(through: target.connector, options: options) { update in
                    record.note(update)
                    sink.yield(update, replacing: update.progressKey)
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

    /// Sends the image over links that `connector` establishes, and reports each step in the
    /// order that ``PushUpdate`` promises.
    package func push(
        through connector: any Connector,
        options: PushOptions,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) async throws(TransferError) -> TransferReport {
        let order = PushOrder(onUpdate: onUpdate)
        var run = PushRun(variants, options: options, onUpdate: order.pass)
        let report = try await Reconnection.run(
            &run,
            through: connector,
            firstLimit: options.connectionLimit,
            limit: options.reconnectionLimit
        )
        order.verified(report)
        if let limit = options.confirmationLimit {
            try await awaitRunning(report.sha256, through: connector, limit: limit) { running in
                order.pass(.running(running))
            }
            order.pass(.confirmed(report))
        }
        return report
    }
}

extension PushUpdate {
    fileprivate var progressKey: String? {
        if case .progress = self { "" } else { nil }
    }
}
