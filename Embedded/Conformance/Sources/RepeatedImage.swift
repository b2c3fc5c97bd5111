/// An image of the same bytes again and again, of which only these are in memory.
struct RepeatedImage {
    let byteCount: Int
    let repeated: UnsafeRawBufferPointer

    func hash(of range: Range<Int>) -> InlineArray<32, UInt8> {
        var hash = SHA256()
        for offset in range { hash.update(repeated[offset % repeated.count]) }
        return hash.finish()
    }
}
