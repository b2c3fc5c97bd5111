import BLEOTACore

extension Receiver {
    /// The next frame to send as a datagram, or `nil` if there is none before the next input.
    mutating func nextDatagram(at now: Instant) -> [UInt8]? {
        guard hasTransmission(at: now) else { return nil }
        var isWritten = false
        let datagram = [UInt8](
            unsafeUninitializedCapacity: ReceiverControl.byteCountMax
        ) { buffer, count in
            // SAFETY: each byte of the frame that is returned is written.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            if let frame = writeNextFrame(at: now, into: &output) {
                count = frame.byteCount
                isWritten = true
            }
        }
        return isWritten ? datagram : nil
    }
}
