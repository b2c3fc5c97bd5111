import BLEOTACore
import BLEOTAWire

extension SenderControl {
    /// The frame as a datagram.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 18) { buffer, count in
            // SAFETY: `encode` writes the first `count` bytes and returns that number.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = encode(into: &output)
        }
    }
}
