/// Memory for one frame, as long as it is needed.
enum FrameBuffer {
    /// Says ` name=` and the bytes that `write` puts into a buffer as long as the longest frame.
    static func say(
        _ reading: inout Reading,
        _ name: StaticString,
        _ write: (inout MutableRawSpan) -> Int
    ) {
        var buffer = InlineArray<512, UInt8>(repeating: 0)
        var elements = buffer.mutableSpan
        var output = elements.mutableBytes
        let byteCount = write(&output)
        reading.field(name, output.bytes.extracting(0..<byteCount))
    }
}
