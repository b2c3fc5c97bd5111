/// Encodes packets for a serial line (RFC 1055).
enum SLIPEncoder {
    //= SERIAL-1: An end MUST send END before each packet and after it. Within the packet it MUST
    //= send ESC ESC_END for each byte that is END, and ESC ESC_ESC for each byte that is ESC.
    /// Returns the packet between two END bytes. The result is at most two bytes longer than twice
    /// the length of the packet.
    static func encoded(_ packet: some Collection<UInt8>) -> [UInt8] {
        var line: [UInt8] = []
        // Room for as many escapes as random bytes need on average, with a margin.
        line.reserveCapacity(packet.count + packet.count / 64 + 8)
        // This END also ends any packet that noise on the line has begun.
        line.append(SLIPByte.end)
        for byte in packet {
            switch byte {
            case SLIPByte.end: line += [SLIPByte.escape, SLIPByte.escapedEnd]
            case SLIPByte.escape: line += [SLIPByte.escape, SLIPByte.escapedEscape]
            default: line.append(byte)
            }
        }
        line.append(SLIPByte.end)
        return line
    }
}
