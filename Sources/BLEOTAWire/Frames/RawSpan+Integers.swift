extension RawSpan {
    /// The byte at `offset`, which must be inside.
    package func byte(at offset: Int) -> UInt8 {
        // As an unsigned number a negative offset is greater than any length.
        precondition(UInt(bitPattern: offset) < UInt(bitPattern: byteCount))
        // SAFETY: the offset is inside, and a byte can have any value and lies at any address.
        return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// The little-endian 16-bit number at `offset`, which must be inside.
    package func uint16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The little-endian 32-bit number at `offset`, which must be inside.
    package func uint32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The little-endian 64-bit number at `offset`, which must be inside.
    package func uint64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The little-endian number at `offset`, which has been seen to be inside.
    package func number<Number: FixedWidthInteger & BitwiseCopyable>(
        uncheckedAt offset: Int,
        as type: Number.Type
    ) -> Number {
        Number(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
    }
}

extension MutableRawSpan {
    /// Puts a byte at `offset`, which must be inside.
    mutating func put(_ byte: UInt8, at offset: Int) {
        storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Puts a 16-bit number at `offset`, low byte first.
    mutating func put(_ number: UInt16, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Puts a 32-bit number at `offset`, low byte first.
    mutating func put(_ number: UInt32, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Puts a 64-bit number at `offset`, low byte first.
    mutating func put(_ number: UInt64, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
}
