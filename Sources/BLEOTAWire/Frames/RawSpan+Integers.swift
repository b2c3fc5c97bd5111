extension RawSpan {
    /// Returns the byte at `offset`, which must be in bounds.
    package func byte(at offset: Int) -> UInt8 {
        // As an unsigned number, a negative offset is greater than any length.
        precondition(UInt(bitPattern: offset) < UInt(bitPattern: byteCount))
        // SAFETY: the offset is in bounds, and a byte can have any value and any address.
        return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// Returns the little-endian 16-bit number at `offset`, which must be in bounds.
    package func uint16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Returns the little-endian 32-bit number at `offset`, which must be in bounds.
    package func uint32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns the little-endian 64-bit number at `offset`, which must be in bounds.
    package func uint64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the little-endian number at `offset` without a bounds check. The caller has
    /// checked the bounds.
    package func number<Number: FixedWidthInteger & BitwiseCopyable>(
        uncheckedAt offset: Int,
        as type: Number.Type
    ) -> Number {
        Number(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
    }
}

extension MutableRawSpan {
    /// Stores a byte at `offset`, which must be in bounds.
    mutating func put(_ byte: UInt8, at offset: Int) {
        storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Stores a 16-bit number at `offset`, low byte first.
    mutating func put(_ number: UInt16, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Stores a 32-bit number at `offset`, low byte first.
    mutating func put(_ number: UInt32, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Stores a 64-bit number at `offset`, low byte first.
    mutating func put(_ number: UInt64, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
}
