import BLEOTACore
import BLEOTAWire

/// Finds out what a link carries: sends a part of an image as a push would, and takes it back.
///
/// The last block of the image is never sent, so that no receiver can make the image current, and
/// CLOSE *withdrawn* has the receiver forget what it got; that holds for a cancelled task, too. The
/// receiver makes room for the image as for any other, and may give up an unfinished transfer of
/// another image for that.
///
/// ```swift
/// let bytes = (0..<1_048_576).map { _ in UInt8.random(in: .min ... .max) }
/// let image = try Firmware(FirmwareFile(bytes: bytes, name: "measurement"))
/// let measurement = try await measure(image, over: link, for: .seconds(5))
/// print("\(Int(measurement.goodputBytesPerSecond)) bytes per second")
/// ```
///
/// - Parameters:
///   - prepared: an image that the receiver has nothing of, such as random bytes.
///   - duration: how long to send, from the receiver's first account of the image on; less if all
///     but the last block is sent before.
///   - attMTUMax: frames are made for no larger ATT_MTU than this, 23 to 517.
///   - onProgress: called at most ten times a second, on a task of the transfer.
/// - Throws: a ``TransferError``. After one with the code `linkLost`, `silent`, `stalled` or
///   `protocolViolated` the receiver may hold a part, which ``withdraw(_:over:options:)`` takes
///   back over another link.
package func measure(
    _ prepared: Firmware,
    over link: any Transport,
    for duration: Duration,
    attMTUMax: Int = 517,
    options: PushOptions = PushOptions(),
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
) async throws(TransferError) -> TransferMeasurement {
    precondition((23...517).contains(attMTUMax), "ATT_MTU is 23 to 517")
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

/// Has the receiver at the other end of a link forget what it holds of an unfinished transfer of
/// this image. One that it has made current stays.
///
/// - Throws: a ``TransferError``; then the receiver may hold it still.
package func withdraw(
    _ prepared: Firmware,
    over link: any Transport,
    options: PushOptions = PushOptions()
) async throws(TransferError) {
    _ = try await measure(prepared, over: link, for: .zero, options: options)
}
