import BLEOTADevice

/// An image of the same bytes again and again, of which only these are in memory.
struct RepeatedImage {
    let byteCount: Int
    let repeated: UnsafeRawBufferPointer

    func hash(of range: Range<Int>) -> InlineArray<32, UInt8> {
        var hash = SHA256()
        var block = InlineArray<64, UInt8>(repeating: 0)
        var count = 0
        for offset in range {
            block[count] = repeated[offset % repeated.count]
            count += 1
            if count < 64 { continue }
            block.span.withUnsafeBytes { block in hash.update(block) }
            count = 0
        }
        block.span.withUnsafeBytes { block in
            hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
        return hash.finish().bytes
    }
}
