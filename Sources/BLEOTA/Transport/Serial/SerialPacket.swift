/// A packet on a serial line: a byte for the channel, then one frame.
enum SerialPacket {
    /// The maximum length of an attribute value, and so of a frame.
    private static let frameByteCountMax = 512
    static let byteCountMax = 1 + frameByteCountMax

    //= SERIAL-2: An end MUST send each frame in its own packet.
    /// Returns the bytes to send on the line for a frame.
    static func encoded(_ frame: [UInt8], on channel: Datagram.Channel) -> [UInt8] {
        SLIPEncoder.encoded([code(of: channel)] + frame)
    }

    /// Returns the datagram in a decoded packet, or `nil` if the packet is invalid.
    static func parsed(_ packet: [UInt8]) -> Datagram? {
        guard let code = packet.first, let channel = channel(of: code),
            (1...frameByteCountMax).contains(packet.count - 1)
        else { return nil }
        return Datagram(channel: channel, bytes: Array(packet[1...]))
    }

    private static func code(of channel: Datagram.Channel) -> UInt8 {
        switch channel {
        case .control: 0
        case .data: 1
        }
    }

    private static func channel(of code: UInt8) -> Datagram.Channel? {
        Datagram.Channel.allCases.first { channel in self.code(of: channel) == code }
    }
}
