import BLEOTACore
import BLEOTAHost

extension Receiver {
    /// The next frame to send as a datagram, or `nil` if there is none before the next input.
    mutating func nextDatagram(at now: Instant) -> [UInt8]? {
        // As long as the longest frame.
        var bytes = InlineArray<79, UInt8>(repeating: 0)
        var elements = bytes.mutableSpan
        var output = elements.mutableBytes
        guard let frame = writeNextFrame(at: now, into: &output) else { return nil }
        return output.bytes.withUnsafeBytes { bytes in [UInt8](bytes[..<frame.byteCount]) }
    }
}
