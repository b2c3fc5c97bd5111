import BLEOTACore
import BLEOTAWire

/// Frames whose arrival is all that matters.
enum EchoProbe {
    /// A probe of this many bytes, whose payload is zero.
    static func bytes(token: UInt16, byteCount: Int) -> [UInt8] {
        let payload = [UInt8](repeating: 0, count: byteCount - DataFrame.overheadByteCount)
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            // SAFETY: encode writes each of the `count` bytes it returns.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = DataFrame.encode(
                chunkIndex: UInt32(token),
                isPoll: false,
                payload: payload.span.bytes,
                header: .echo,
                into: &output
            )
        }
    }
}
