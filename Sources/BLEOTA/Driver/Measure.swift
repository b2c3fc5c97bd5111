import BLEOTACore
import BLEOTAWire

/// Measures how fast a link is: sends part of an image as a push would, then withdraws it.
///
/// The last block of the image is never sent, so no receiver can make the image current. A CLOSE
/// with the reason *withdrawn*, which is sent even if the task is cancelled, makes the receiver
/// forget the part that it has received. The receiver makes room for the image as for any other,
/// and may discard an unfinished transfer of another image to do so.
///
/// ```swift
/// let bytes = (0..<1_048_576).map { _ in UInt8.random(in: .min ... .max) }
/// let image = try Firmware(FirmwareFile(bytes: bytes, name: "measurement"))
/// let measurement = try await measure(image, over: link, for: .seconds(5))
/// print("\(Int(measurement.goodputBytesPerSecond)) bytes per second")
/// ```
///
/// - Parameters:
///   - prepared: an image that the receiver holds no part of, such as random bytes.
///   - duration: how long to send, counted from the receiver's first ACK for the image. The
///     measurement ends sooner if all blocks but the last, which is never sent, are acknowledged
///     before that time is up.
///   - attMTUMax: the largest ATT_MTU to make frames for, 23 to 517.
///   - onProgress: called at most ten times a second, on a task of the transfer.
/// - Throws: a ``TransferError``. If its code is `linkLost`, `silent`, `stalled` or
///   `protocolViolated`, the receiver may still hold part of the image. To remove that part,
///   call ``withdraw(_:over:options:)`` with another link.
package func measure(
    _ prepared: Firmware,
    over link: any Transport,
    for duration: Duration,
    attMTUMax: Int = 517,
    options: PushOptions = PushOptions(),
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
) async throws(TransferError) -> TransferMeasurement {
    precondition((23...517).contains(attMTUMax), "ATT_MTU must be 23 to 517")
    let variant = prepared.plainest
    let driver = SendDriver(
        variant,
        over: link,
        session: SessionNumber(.random(in: .min ... .max)),
        options: options,
        measuring: Measuring(variant, for: duration),
        attMTUMax: attMTUMax
    )
    let ending = await driver.run(onProgress: onProgress)
    if let error = ending.error { throw error }
    guard let measuring = ending.measuring else { preconditionFailure("it was measuring") }
    return measuring.measurement(
        chunkSize: ending.chunkSize,
        attMTU: min(link.limits.attMTU, attMTUMax)
    )
}

/// Makes the receiver forget an unfinished transfer of this image. An image that the receiver has
/// made current stays.
///
/// - Throws: a ``TransferError``; in that case, the receiver may still hold the transfer.
package func withdraw(
    _ prepared: Firmware,
    over link: any Transport,
    options: PushOptions = PushOptions()
) async throws(TransferError) {
    _ = try await measure(prepared, over: link, for: .zero, options: options)
}
