public import BLEOTACore

/// The services that a device provides for a ``DeviceReceiver``: its flash, its link, its
/// clock, and its acceptance policy.
///
/// The receiver calls every hook from within its own functions. A hook must not call the
/// receiver.
public protocol DeviceHooks {
    /// The layout of the flash. It must always be the same.
    var layout: FlashLayout { get }

    /// Copies bytes out of the flash. Bytes whose error-correcting code is invalid after a
    /// power cut are not a fault. They may be read as any value, because the receiver detects
    /// that they are wrong.
    func read(
        _ address: UInt32,
        into bytes: UnsafeMutableRawBufferPointer
    ) throws(FlashFault)

    /// Programs bytes that have been erased, each of them once. Returns when they are durable.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to program, aligned to 4 bytes in memory. Their number is a multiple of
    ///     ``FlashLayout/writeByteCount``.
    ///   - address: an address that is a multiple of ``FlashLayout/writeByteCount``.
    func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) throws(FlashFault)

    /// Erases one page. Returns when the whole page durably reads as 0xFF.
    func erase(pageAt address: UInt32) throws(FlashFault)

    /// Passes a control frame to the link, which copies it. Returns false if the link is full.
    /// The receiver then calls this function again later with the same frame.
    func send(_ frame: UnsafeRawBufferPointer) -> Bool

    /// Returns the current time.
    func now() -> Instant

    /// Records an event in the log.
    func log(_ event: DeviceEvent)

    /// Whether the device accepts an image without a signature by a trusted key.
    var takesUnsigned: Bool { get }

    /// Whether the device has the public key that a signature names, and trusts it.
    func trusts(_ signature: DeviceSignature) -> Bool

    /// Whether a signature by a trusted key is valid for the 48 bytes of `message`.
    func isValid(_ signature: DeviceSignature, of message: UnsafeRawBufferPointer) -> Bool

    /// Whether the device knows its own hardware. If so, a signed image must name the hardware
    /// that it is for.
    var isHardwareKnown: Bool { get }

    /// Whether the device's hardware has this name and one of these revisions.
    func isHardware(_ name: UnsafeRawBufferPointer, _ revisions: ClosedRange<UInt16>) -> Bool

    /// Whether the device is the component with this name.
    func isComponent(_ name: UnsafeRawBufferPointer) -> Bool

    /// The lowest security counter that the device accepts. The record in flash may
    /// require a higher one.
    var counterMin: UInt32 { get }
}
