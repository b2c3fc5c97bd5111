import BLEOTACore
import BLEOTAWire

/// Builds echo probes (section 8).
enum EchoProbe {
    /// Returns a probe of `byteCount` bytes with an all-zero payload.
    static func bytes(token: UInt16, byteCount: Int) -> [UInt8] {
        let payload = [UInt8](repeating: 0, count: byteCount - DataFrame.overheadByteCount)
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            // SAFETY: `encode` writes the first `count` bytes and returns that number.
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
