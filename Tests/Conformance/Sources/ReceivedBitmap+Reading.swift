import BLEOTACore

extension ReceivedBitmap {
    /// A bitmap from up to 64 bytes as they are sent.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init()
        for index in 0..<bytes.count * 8 {
            self[index] = bytes[index / 8] >> UInt8(index % 8) & 1 == 1
        }
    }

    /// Says the bytes as they are sent.
    func say(_ reading: inout Reading) {
        reading.begin("bitmap")
        for start in stride(from: 0, to: 8 * byteCount, by: 8) {
            var byte: UInt8 = 0
            for index in 0..<8 where self[start + index] { byte |= 1 << UInt8(index) }
            reading.hexByte(byte)
        }
    }
}
