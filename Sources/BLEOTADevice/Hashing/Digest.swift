/// A SHA-256, as 32 bytes.
public struct Digest: BitwiseCopyable {
    /// The bytes, four to a word as they lie in memory.
    public let words: InlineArray<8, UInt32>

    /// The first 8 bytes as a little-endian number: a tag, or the receipt in RESULT *verified*.
    public var tag: UInt64 { UInt64(words[1].littleEndian) << 32 | UInt64(words[0].littleEndian) }

    /// Whether `bytes` are the beginning of it.
    ///
    /// - Parameter bytes: up to 32.
    public func begins(with bytes: UnsafeRawBufferPointer) -> Bool {
        let mine = words.span.bytes
        for index in bytes.indices {
            let byte = mine.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
            if byte != bytes[index] { return false }
        }
        return true
    }
}
