/// A SHA-256 digest, 32 bytes.
public struct Digest: BitwiseCopyable {
    /// The bytes in memory order, four in each word.
    public let words: InlineArray<8, UInt32>

    /// The first 8 bytes as a little-endian number: a tag, or the digest prefix in RESULT
    /// *verified*.
    public var tag: UInt64 { UInt64(words[1].littleEndian) << 32 | UInt64(words[0].littleEndian) }

    /// Whether the digest begins with `bytes`.
    ///
    /// - Parameter bytes: at most 32 bytes.
    @inline(__always)  // A device that signs no receipts has one caller.
    public func begins(with bytes: UnsafeRawBufferPointer) -> Bool {
        let mine = words.span.bytes
        for index in bytes.indices {
            let byte = mine.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
            if byte != bytes[index] { return false }
        }
        return true
    }
}
