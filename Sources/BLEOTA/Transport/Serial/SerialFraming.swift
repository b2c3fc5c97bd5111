/// A way to find messages in the bytes of a serial line.
package protocol SerialFraming: Sendable {
    /// Takes the next byte, and returns the message that it completes, if any. Bytes that belong to
    /// no message are skipped. The framing holds at most one message, of a limited length.
    mutating func take(_ byte: UInt8) -> Datagram?
}

/// The framing of bleota's own protocol.
struct SLIPFraming: SerialFraming {
    private var decoder = SLIPDecoder(byteCountMax: SerialPacket.byteCountMax)

    mutating func take(_ byte: UInt8) -> Datagram? {
        decoder.take(byte).flatMap { SerialPacket.parsed($0) }
    }
}
