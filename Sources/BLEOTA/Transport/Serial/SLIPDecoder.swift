/// Finds packets in an arbitrary sequence of bytes from a serial line (RFC 1055).
///
/// The decoder holds at most one packet of the maximum length. Bytes that don't form a packet are
/// silently skipped: frames have checksums, and lost frames are sent again.
struct SLIPDecoder {
    private enum Phase {
        case reading
        /// The previous byte was an escape.
        case escaped
        /// The bytes up to the next END are skipped, because they belong to an incomplete or
        /// invalid packet.
        case skipping
    }

    private let byteCountMax: Int
    private var packet: [UInt8] = []
    // A line that is in use may be opened in the middle of a packet.
    private var phase = Phase.skipping

    /// - Parameter byteCountMax: the maximum length of a packet, at least 1.
    init(byteCountMax: Int) {
        precondition(byteCountMax > 0, "a packet has bytes")
        self.byteCountMax = byteCountMax
        packet.reserveCapacity(byteCountMax)
    }

    //= SERIAL-4: An end MUST drop a packet in each of these cases, and continue with the next END:
    //= ESC is followed by a byte other than ESC_END and ESC_ESC; the first byte of the packet is
    //= neither 0 nor 1; the frame is shorter than 1 byte or longer than 512 bytes.
    /// Takes the next byte of the line.
    ///
    /// - Returns: the packet that the byte completes, of 1 to `byteCountMax` bytes; `nil` if it
    ///   completes none.
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

    /// Ends the packet and begins the next one.
    private mutating func finish() -> [UInt8]? {
        defer {
            packet.removeAll(keepingCapacity: true)
            phase = .reading
        }
        //= SERIAL-3: An end MUST ignore empty packets.
        return phase == .reading && !packet.isEmpty ? packet : nil
    }
}
