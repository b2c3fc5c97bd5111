/// Makes bytes of a serial line from a packet (RFC 1055).
enum SLIPEncoder {
    //= SERIAL-1: An end MUST send END before and after each packet, ESC ESC_END for each byte of
    //= the packet that is END, and ESC ESC_ESC for each that is ESC.
    /// The packet between two ends: at most twice as long and two bytes.
    static func encoded(_ packet: some Collection<UInt8>) -> [UInt8] {
        var line: [UInt8] = []
        // What random bytes take on average, and some.
        line.reserveCapacity(packet.count + packet.count / 64 + 8)
        // It ends what noise has begun, too.
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
