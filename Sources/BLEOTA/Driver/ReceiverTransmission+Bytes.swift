import BLEOTACore

extension ReceiverTransmission {
    /// The frame as a datagram.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: ReceiverControl.byteCountMax) { buffer, count in
            // SAFETY: encode writes each of the `count` bytes it returns.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = encode(into: &output)
        }
    }
}
