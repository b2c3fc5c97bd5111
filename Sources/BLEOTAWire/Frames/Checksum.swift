/// The frame checksum, CRC-16/IBM-SDLC, computed incrementally (spec/bleota.md, section 2.4).
///
/// ```swift
/// var checksum = Checksum()
/// checksum.update(bytes.span.bytes)
/// let value = checksum.value        // 0x906E for the ASCII digits 123456789
/// ```
///
/// On a host, 16 bytes cost sixteen lookups in a table of 8 KiB. In Embedded Swift, each byte costs
/// eight operations and there is no table: a microcontroller's link is slower than the computation,
/// and its flash is scarce.
public struct Checksum: Hashable, Sendable, BitwiseCopyable {
    private var remainder: UInt16

    /// Creates the checksum of an empty sequence.
    public init() { self.init(remainder: 0xFFFF) }

    /// Creates a checksum from a remainder that was computed earlier.
    init(remainder: UInt16) { self.remainder = remainder }

    /// The checksum of all bytes so far. It is sent low byte first.
    public var value: UInt16 { remainder ^ 0xFFFF }

    /// Whether the last two bytes were the checksum of the bytes before them. The remainder of
    /// a message followed by its own checksum is the same for every message.
    public var isClosed: Bool { remainder == 0xF0B8 }

    /// Adds one byte to the checksum.
    public mutating func update(_ byte: UInt8) { update(UInt32(byte), byteCount: 1) }

    /// Adds a 16-bit number, low byte first.
    public mutating func update(_ number: UInt16) { update(UInt32(number), byteCount: 2) }

    /// Adds a 32-bit number, low byte first.
    public mutating func update(_ number: UInt32) { update(number, byteCount: 4) }

    /// Serves all three widths to save code size on a microcontroller.
    private mutating func update(_ number: UInt32, byteCount: Int) {
        self = advanced(over: number, byteCount: byteCount)
    }

    /// Returns a value, so that the checksum stays in a register.
    @inline(never)
    private func advanced(over number: UInt32, byteCount: Int) -> Checksum {
        withUnsafeBytes(of: number.littleEndian) { bytes in
            var checksum = self
            checksum.update(bytes.bytes.extracting(first: byteCount))
            return checksum
        }
    }

    /// Adds one byte without a table. On a host, only tests use this function, to check the
    /// tables.
    ///
    /// The polynomial is x¹⁶ + x¹² + x⁵ + 1, so each bit shifted out is XORed back in at three
    /// places. The lower four bits of the byte return in time to be shifted out again with the
    /// upper four.
    mutating func advance(over byte: UInt8) {
        var leaving = UInt8(truncatingIfNeeded: remainder) ^ byte
        leaving ^= leaving &<< 4
        let bits = UInt16(leaving)
        remainder = remainder &>> 8 ^ bits &<< 8 ^ bits &<< 3 ^ bits &>> 4
    }

    #if hasFeature(Embedded)
    /// Adds bytes to the checksum.
    public mutating func update(_ bytes: RawSpan) { self = advanced(over: bytes) }

    @inline(never)
    private func advanced(over bytes: RawSpan) -> Checksum {
        var checksum = self
        for offset in bytes.byteOffsets {
            checksum.advance(over: bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        return checksum
    }
    #else
    /// Adds bytes to the checksum.
    public mutating func update(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { bytes in
            slicingTable.span.withUnsafeBufferPointer { table in
                update(bytes, slicing: table)
            }
        }
    }

    /// Processes sixteen bytes per step. Byte i of a step is looked up in table 15 − i, which
    /// advances it past the 15 − i bytes after it. The 16-bit remainder affects only the first two
    /// bytes, so the other lookups need not wait for it. This independence doubles the speed.
    private mutating func update(
        _ bytes: UnsafeRawBufferPointer,
        slicing table: UnsafeBufferPointer<UInt16>
    ) {
        // SAFETY: an index is a table number times 256 plus a byte, so it is below the count,
        // 16 · 256.
        guard let start = bytes.baseAddress, let table = table.baseAddress else { return }
        var offset = 0
        while bytes.count &- offset >= 16 {
            let low = UInt64(
                littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            let high = UInt64(
                littleEndian: start.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
            )
            let rest =
                pair(low &>> 16, table, 12) ^ pair(low &>> 32, table, 10)
                ^ pair(low &>> 48, table, 8) ^ pair(high, table, 6) ^ pair(high &>> 16, table, 4)
                ^ pair(high &>> 32, table, 2) ^ pair(high &>> 48, table, 0)
            remainder = pair(low ^ UInt64(remainder), table, 14) ^ rest
            offset &+= 16
        }
        while offset < bytes.count {
            let byte = start.load(fromByteOffset: offset, as: UInt8.self)
            remainder =
                (remainder >> 8) ^ table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)]
            offset &+= 1
        }
    }

    /// The combined remainder of the lowest two bytes of `word` when `laterCount` bytes follow
    /// them.
    @inline(__always)
    private func pair(_ word: UInt64, _ table: UnsafePointer<UInt16>, _ laterCount: Int) -> UInt16 {
        let first = Int(truncatingIfNeeded: word & 0xFF)
        let second = Int(truncatingIfNeeded: (word &>> 8) & 0xFF)
        return table[(laterCount &+ 1) &* 256 &+ first] ^ table[laterCount &* 256 &+ second]
    }
    #endif
}

#if !hasFeature(Embedded)
/// Sixteen tables of 256 entries. Entry b of table t is the remainder of byte b followed by t
/// zero bytes.
private let slicingTable: InlineArray<4096, UInt16> = {
    var table = InlineArray<4096, UInt16>(repeating: 0)
    for byte in 0..<256 {
        var remainder = UInt16(byte)
        for _ in 0..<8 {
            // 0x8408 is the polynomial 0x1021 with its bits reversed.
            remainder = (remainder >> 1) ^ (remainder & 1 == 1 ? 0x8408 : 0)
        }
        table[byte] = remainder
    }
    for index in 256..<4096 {
        let shorter = table[index - 256]
        table[index] = (shorter >> 8) ^ table[Int(shorter & 0xFF)]
    }
    return table
}()
#endif
