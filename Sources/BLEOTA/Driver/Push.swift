import BLEOTACore

/// Sends an image to the receiver at the other end of a link, and returns when the receiver has
/// verified it and made it current.
///
/// ```swift
/// let image = try FirmwareFile(contentsOf: "firmware.bin")
/// let link = try await SocketTransport.connect(path: "/run/device.socket", attMTU: 247)
/// let report = try await push(Firmware(image), over: link) { progress in
///     print("\(progress.durableByteCount) of \(progress.totalByteCount) bytes")
/// }
/// print("verified, \(Int(report.goodputBytesPerSecond)) bytes per second")
/// ```
///
/// The link is left open. Cancelling the task ends the session with CLOSE; what is durable at the
/// receiver stays, and the next push of the same image goes on from there.
///
/// - Parameter onProgress: called at most ten times a second, on a task of the transfer.
/// - Throws: a ``TransferError`` that says whose fault it is and what to do.
package func push(
    _ prepared: Firmware,
    over link: any Transport,
    options: PushOptions = PushOptions(),
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
) async throws(TransferError) -> TransferReport {
    var run = PushRun(prepared.variants, options: options) { update in
        if case .progress(let progress) = update { onProgress(progress) }
    }
    return try await run.once(over: link)
}

/// The same over links that are made again when they are lost, with pauses of 0.25 s doubled up to
/// 8 s, until ``PushOptions/reconnectionLimit`` has passed without progress.
///
/// The first link has to come about at once.
package func push(
    _ prepared: Firmware,
    through connector: any Connector,
    options: PushOptions = PushOptions(),
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
) async throws(TransferError) -> TransferReport {
    var run = PushRun(prepared.variants, options: options) { update in
        if case .progress(let progress) = update { onProgress(progress) }
    }
    return try await Reconnection.run(
        &run,
        through: connector,
        firstLimit: options.connectionLimit,
        limit: options.reconnectionLimit
    )
}
