import BLEOTACore

/// Sends an image to the receiver, and returns when the receiver has verified the image and made it
/// current.
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
/// The link stays open. Cancelling the task ends the session with CLOSE. The receiver keeps the
/// durable part of the image, and the next push of the same image resumes from there.
///
/// - Parameter onProgress: called at most ten times a second, on a task of the transfer.
/// - Throws: a ``TransferError``, whose description states what happened.
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

/// Sends an image to the receiver, and establishes a new link whenever one is lost.
///
/// The pauses between attempts to connect start at 0.25 s and double up to 8 s. The push fails once
/// ``PushOptions/reconnectionLimit`` has passed without progress. If nobody is at the other end,
/// attempts to establish the first link are repeated for ``PushOptions/connectionLimit``. Any other
/// failure of the first attempt ends the push at once.
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
