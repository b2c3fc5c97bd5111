extension RawSpan {
    /// The first 8 bytes as a number.
    var littleEndianNumber: UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
    }
}
