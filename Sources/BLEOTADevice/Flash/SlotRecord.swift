/// What the flash says of its slots, and of the lowest counter it takes: 64 bytes at the beginning
/// of one of two pages, in turns, so that a record is whole while its successor is written.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 4 | sequence; an even one is in the first page |
/// | 4 | 4 | the lowest security counter that is taken |
/// | 8 | 4 | the address of the slot that the record is about |
/// | 12 | 4 | the length of the verified image in it; 0: it has none any more |
/// | 16 | 8 | the transfer tag of the image |
/// | 24 | 32 | the SHA-256 of the image |
/// | 56 | 8 | the first 8 bytes of the SHA-256 of bytes 0 to 55 |
public struct SlotRecord: BitwiseCopyable {
    /// How much it takes.
    static var byteCount: Int { 64 }
    private static var checkedByteCount: Int { 56 }

    /// How many records there have been.
    public var sequence: UInt32 = 0
    /// The lowest security counter that is taken.
    public var counter: UInt32 = 0
    /// Where the slot is that it is about.
    public var slotAddress: UInt32 = 0
    /// The length of the verified image in that slot; 0: none.
    public var imageByteCount: UInt32 = 0
    /// The tag of the transfer that brought the image.
    public var tag: UInt64 = 0
    /// The SHA-256 of the image.
    public var imageSHA256 = Digest(words: InlineArray(repeating: 0))
    private var check: UInt64 = 0

    /// That of a flash that never had one.
    init() {}

    /// Reads the newest of the two; one with ``sequence`` 0 if there is none.
    public init(of hooks: some DeviceHooks) throws(FlashFault) {
        self.init()
        var flash = Flash(hooks: hooks)
        readNewest(from: &flash)
        if let fault = flash.fault { throw fault }
    }

    /// Reads the newest of the two, as the initializer does, to its place. Whatever it is where the
    /// flash fails.
    @inline(never)
    mutating func readNewest(from flash: inout Flash<some DeviceHooks>) {
        self = SlotRecord()
        readNewer(page: 0, from: &flash)
        readNewer(page: 1, from: &flash)
    }

    /// Reads what a page has, if that is a record that is newer.
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

    /// Whether it says that the slot of a layout has a verified image.
    func isVerified(in layout: FlashLayout) -> Bool {
        imageByteCount > 0 && slotAddress == layout.slot.lowerBound
    }

    /// Writes it as the successor of the one that is there.
    @inline(never)
    mutating func append(to flash: inout Flash<some DeviceHooks>) {
        // A flash is worn out long before this is 0 again.
        sequence &+= 1
        check = computedCheck()
        let address = Self.address(page: sequence & 1, of: flash.layout)
        flash.erase(pageAt: address)
        withUnsafeBytes(of: &self) { bytes in flash.write(bytes, at: address) }
    }

    /// Cannot wrap, as the area does not.
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
