/// Reads operands from the bytes of an input. Past its end everything is zero, so that every input
/// means something.
struct FuzzInput {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func uint16() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

    mutating func uint32() -> UInt32 { UInt32(uint16()) | UInt32(uint16()) << 16 }

    mutating func uint64() -> UInt64 { UInt64(uint32()) | UInt64(uint32()) << 32 }

    mutating func flag() -> Bool { byte() & 1 != 0 }

    /// A number below `count`, of one byte's fineness.
    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    /// A number below 2^bitCountMax that is as likely small as large: how many bits, then the bits.
    mutating func magnitude(bitCountMax: Int) -> Int {
        let bitCount = choice(bitCountMax + 1)
        let bits = bitCount <= 8 ? UInt32(byte()) : bitCount <= 16 ? UInt32(uint16()) : uint32()
        return Int(UInt64(bits) & ((1 << UInt64(bitCount)) - 1))
    }

    /// Up to `countMax` of the next bytes: how many, then the bytes.
    mutating func bytes(countMax: Int) -> [UInt8] {
        let count = countMax > 255 ? Int(uint16()) % (countMax + 1) : choice(countMax + 1)
        return take(min(count, bytes.count - offset))
    }

    /// All bytes that are left, but no more than `countMax`.
    mutating func rest(countMax: Int = .max) -> [UInt8] {
        take(min(bytes.count - offset, countMax))
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }
}
