import BLEOTACore
import BLEOTAWire

extension SenderControl {
    /// The frame as a datagram.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 18) { buffer, count in
            // SAFETY: encode writes each of the `count` bytes it returns.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = encode(into: &output)
        }
    }
}
