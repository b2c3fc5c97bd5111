/// A record in flash that describes the contents of a slot and the lowest accepted counter. It
/// takes 64 bytes at the beginning of one of two pages, which alternate so that a valid record
/// remains while its successor is written.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 4 | sequence; an even one is in the first page |
/// | 4 | 4 | the lowest security counter that is accepted |
/// | 8 | 4 | the address of the slot that the record describes |
/// | 12 | 4 | the length of the verified image in the slot, or 0 if there is none |
/// | 16 | 8 | the transfer tag of the image |
/// | 24 | 32 | the SHA-256 of the image |
/// | 56 | 8 | the first 8 bytes of the SHA-256 of bytes 0 to 55 |
public struct SlotRecord: BitwiseCopyable {
    /// The length of a record in bytes.
    static var byteCount: Int { 64 }
    private static var checkedByteCount: Int { 56 }

    /// The number of records that have been written.
    public var sequence: UInt32 = 0
    /// The lowest security counter that is accepted.
    public var counter: UInt32 = 0
    /// The address of the slot that the record describes.
    public var slotAddress: UInt32 = 0
    /// The length of the verified image in that slot, or 0 if there is none.
    public var imageByteCount: UInt32 = 0
    /// The tag of the transfer that delivered the image.
    public var tag: UInt64 = 0
    /// The SHA-256 of the image.
    public var imageSHA256 = Digest(words: InlineArray(repeating: 0))
    private var check: UInt64 = 0

    /// Creates the record for flash that has never held one.
    init() {}

    /// Reads the newest of the two records. If there is none, ``sequence`` is 0.
    public init(of hooks: some DeviceHooks) throws(FlashFault) {
        self.init()
        var flash = Flash(hooks: hooks)
        readNewest(from: &flash)
        if let fault = flash.fault { throw fault }
    }

    /// Replaces this record with the newest of the two in flash. If the flash fails, the result
    /// is unspecified.
    @inline(never)
    mutating func readNewest(from flash: inout Flash<some DeviceHooks>) {
        self = SlotRecord()
        readNewer(page: 0, from: &flash)
        readNewer(page: 1, from: &flash)
    }

    /// Replaces this record with the record in a page if that record is valid and newer.
    @inline(never)
    private mutating func readNewer(page: UInt32, from flash: inout Flash<some DeviceHooks>) {
        var record = SlotRecord()
        let address = Self.address(page: page, of: flash.layout)
        _ = withUnsafeMutableBytes(of: &record) { bytes in flash.read(address, into: bytes) }
        if record.check == record.computedCheck(), record.sequence & 1 == page,
            record.sequence > sequence
        {
            self = record
        }
    }

    /// Whether the record describes a verified image in the slot of a layout.
    func isVerified(in layout: FlashLayout) -> Bool {
        imageByteCount > 0 && slotAddress == layout.slot.lowerBound
    }

    /// Writes this record as the successor of the newest one in flash.
    @inline(never)
    mutating func append(to flash: inout Flash<some DeviceHooks>) {
        // The flash wears out long before this number overflows.
        sequence &+= 1
        check = computedCheck()
        let address = Self.address(page: sequence & 1, of: flash.layout)
        flash.erase(pageAt: address)
        withUnsafeBytes(of: &self) { bytes in flash.write(bytes, at: address) }
    }

    /// Returns the address of one of the two pages. The sum can't overflow, because the area for
    /// the record does not wrap around the end of the address space.
    private static func address(page: UInt32, of layout: FlashLayout) -> UInt32 {
        layout.records.lowerBound &+ page &* layout.pageByteCount
    }

    private mutating func computedCheck() -> UInt64 {
        withUnsafeBytes(of: &self) { bytes in
            let checked = UnsafeRawBufferPointer(rebasing: bytes[..<Self.checkedByteCount])
            return SHA256.digest(of: checked).tag
        }
    }
}
