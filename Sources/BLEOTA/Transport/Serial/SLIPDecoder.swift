/// Finds the packets in the bytes of a serial line (RFC 1055), whatever those are.
///
/// It never holds more than one packet of the longest length. What is no packet is passed over,
/// without a word: a frame has a checksum, and what was lost is sent again.
struct SLIPDecoder {
    private enum Phase {
        case reading
        /// The byte before was an escape.
        case escaped
        /// What comes up to the next end is no packet, or the rest of one.
        case skipping
    }

    private let byteCountMax: Int
    private var packet: [UInt8] = []
    // Who comes to a line that is in use is in the middle of a packet.
    private var phase = Phase.skipping

    /// - Parameter byteCountMax: the length of the longest packet, 1 or more.
    init(byteCountMax: Int) {
        precondition(byteCountMax > 0, "a packet has bytes")
        self.byteCountMax = byteCountMax
        packet.reserveCapacity(byteCountMax)
    }

    //= SERIAL-4: An end MUST drop a packet in which ESC is followed by anything but ESC_END and
    //= ESC_ESC, whose first byte is neither 0 nor 1, or whose frame is shorter than 1 byte or
    //= longer than 512, and read on at the next END.
    /// Takes the next byte of the line.
    ///
    /// - Returns: the packet that it ends, of 1 to `byteCountMax` bytes, if it ends one.
    mutating func take(_ byte: UInt8) -> [UInt8]? {
        switch (phase, byte) {
        case (_, SLIPByte.end): return finish()
        case (.reading, SLIPByte.escape): phase = .escaped
        case (.reading, _): append(byte)
        case (.escaped, SLIPByte.escapedEnd): append(SLIPByte.end)
        case (.escaped, SLIPByte.escapedEscape): append(SLIPByte.escape)
        case (.escaped, _), (.skipping, _): phase = .skipping
        }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        if packet.count == byteCountMax {
            phase = .skipping
        } else {
            packet.append(byte)
            phase = .reading
        }
    }

    /// Ends the packet, and begins the next.
    private mutating func finish() -> [UInt8]? {
        defer {
            packet.removeAll(keepingCapacity: true)
            phase = .reading
        }
        //= SERIAL-3: An end MUST pass over packets without bytes.
        return phase == .reading && !packet.isEmpty ? packet : nil
    }
}
