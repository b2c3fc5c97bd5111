public import BLEOTACore

/// What a device does for a ``DeviceReceiver``: its flash, its link, its clock, and whom it trusts.
///
/// Everything is called from within the receiver, which must not be called back.
public protocol DeviceHooks {
    /// Where things are in the flash; always the same.
    var layout: FlashLayout { get }

    /// Copies bytes out of the flash. What a power cut left with a wrong error check is no fault:
    /// such bytes may be anything, and are found to be wrong.
    func read(
        _ address: UInt32,
        into bytes: UnsafeMutableRawBufferPointer
    ) throws(FlashFault)

    /// Programs bytes that were erased before, each once. Returns when they are there for good.
    ///
    /// - Parameters:
    ///   - bytes: a multiple of ``FlashLayout/writeByteCount``, at a multiple of 4 in memory.
    ///   - address: such a multiple as well.
    func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) throws(FlashFault)

    /// Erases one page. Returns when all of it reads 0xFF for good.
    func erase(pageAt address: UInt32) throws(FlashFault)

    /// Hands a control frame to the link, which copies it; false if the link is full, and then it
    /// is asked again later with the same frame.
    func send(_ frame: UnsafeRawBufferPointer) -> Bool

    /// The time.
    func now() -> Instant

    /// What happens.
    func log(_ event: DeviceEvent)

    /// Whether an image without a signature by a trusted key is taken.
    var takesUnsigned: Bool { get }

    /// Whether it has the public key that a signature names, and trusts who has the private one.
    func trusts(_ signature: DeviceSignature) -> Bool

    /// Whether a signature is of the 48 bytes of `message`, by a key that it trusts.
    func isValid(_ signature: DeviceSignature, of message: UnsafeRawBufferPointer) -> Bool

    /// Whether it knows what it is, so that a signed image has to say for what it is.
    var isHardwareKnown: Bool { get }

    /// Whether it is the hardware of this name, and of one of these revisions.
    func isHardware(_ name: UnsafeRawBufferPointer, _ revisions: ClosedRange<UInt16>) -> Bool

    /// Whether it is the part of a device that has this name.
    func isComponent(_ name: UnsafeRawBufferPointer) -> Bool

    /// The lowest security counter it takes; the record in flash may ask for a higher one.
    var counterMin: UInt32 { get }
}
