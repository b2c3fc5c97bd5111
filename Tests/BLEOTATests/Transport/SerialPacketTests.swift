import Testing

@testable import BLEOTA

/// Frames as packets of a serial line.
@Suite("Packets of a serial line")
struct SerialPacketTests {
    //= SERIAL-2
    @Test("A packet is one byte of channel and a frame")
    func layout() {
        #expect(SerialPacket.encoded([7, 8], on: .control) == [0xC0, 0, 7, 8, 0xC0])
        #expect(SerialPacket.encoded([0xC0], on: .data) == [0xC0, 1, 0xDB, 0xDC, 0xC0])
        #expect(SerialPacket.byteCountMax == 513)
    }

    @Test(
        "Every length of a frame comes back, on both channels",
        arguments: Datagram.Channel.allCases
    )
    func roundTrip(channel: Datagram.Channel) {
        for byteCount in 1...512 {
            let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: byteCount), count: byteCount)
            let datagram = Datagram(channel: channel, bytes: frame)
            var decoder = SLIPDecoder(byteCountMax: SerialPacket.byteCountMax)
            let found = SerialPacket.encoded(frame, on: channel).compactMap { decoder.take($0) }
            #expect(found.map(SerialPacket.parsed) == [datagram])
        }
    }

    //= SERIAL-4
    @Test("A channel that there is not, no frame and one that is too long are no packet")
    func refused() {
        for code in UInt8(2)...UInt8.max { #expect(SerialPacket.parsed([code, 1]) == nil) }
        for code in [0, 1] as [UInt8] {
            #expect(SerialPacket.parsed([code]) == nil)
            #expect(SerialPacket.parsed([code] + [UInt8](repeating: 1, count: 512)) != nil)
            #expect(SerialPacket.parsed([code] + [UInt8](repeating: 1, count: 513)) == nil)
        }
        #expect(SerialPacket.parsed([]) == nil)
    }
}
