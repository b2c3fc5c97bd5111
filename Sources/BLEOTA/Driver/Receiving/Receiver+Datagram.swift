import BLEOTACore
import BLEOTAHost

extension Receiver {
    /// Returns the next frame as a datagram, or `nil` if there is nothing to send now.
    mutating func nextDatagram(at now: Instant) -> [UInt8]? {
        // The longest frame is 79 bytes long.
        var bytes = InlineArray<79, UInt8>(repeating: 0)
        var elements = bytes.mutableSpan
        var output = elements.mutableBytes
        guard let frame = writeNextFrame(at: now, into: &output) else { return nil }
        return output.bytes.withUnsafeBytes { bytes in [UInt8](bytes[..<frame.byteCount]) }
    }
}
