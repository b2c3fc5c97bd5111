import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// How long packets take, against the fields of the specification, added up by hand.
@Suite struct PacketTimeTests {
    /// The fields of a packet on the uncoded layers in bits: preamble, access address, header,
    /// payload with its check, and the check of the packet (Bluetooth Core 6.2, volume 6, part B,
    /// 2.1). The preamble has a byte at 1 Mbit/s and two at 2.
    @Test(
        "Uncoded packets take their bits, at one and at two in a microsecond",
        arguments: [
            // An empty packet, one of 27 bytes and one of 251, with and without a check of 4 bytes.
            (payload: 0, le1M: 8 + 32 + 16 + 0 + 24, le2M: (16 + 32 + 16 + 0 + 24) / 2),
            (payload: 27, le1M: 8 + 32 + 16 + 216 + 24, le2M: (16 + 32 + 16 + 216 + 24) / 2),
            (payload: 31, le1M: 328, le2M: 168), (payload: 251, le1M: 2_088, le2M: 1_048),
            (payload: 255, le1M: 2_120, le2M: 1_064),
        ]
    )
    func uncoded(payload: Int, le1M: Int, le2M: Int) {
        #expect(PHY.le1M.airTime(ofPayload: payload).rawValue == Int64(le1M))
        #expect(PHY.le2M.airTime(ofPayload: payload).rawValue == Int64(le2M))
    }

    /// In microseconds, of 2.2: preamble 80, access address 256, coding indicator 16 and first
    /// terminator 24, all with eight symbols a bit whatever follows; then header, payload and
    /// check, and a terminator of three bits, with S of them.
    @Test(
        "Coded packets begin with 376 µs of eight symbols a bit, and go on with two or with eight",
        arguments: [
            (
                payload: 0, codedS2: 80 + 256 + 16 + 24 + 2 * (16 + 0 + 24 + 3),
                codedS8: 80 + 256 + 16 + 24 + 8 * (16 + 0 + 24 + 3)
            ),
            (
                payload: 27, codedS2: 376 + 2 * (16 + 216 + 24 + 3),
                codedS8: 376 + 8 * (16 + 216 + 24 + 3)
            ),
            (payload: 31, codedS2: 958, codedS8: 2_704),
            (payload: 255, codedS2: 4_542, codedS8: 17_040),
        ]
    )
    func coded(payload: Int, codedS2: Int, codedS8: Int) {
        #expect(PHY.codedS2.airTime(ofPayload: payload).rawValue == Int64(codedS2))
        #expect(PHY.codedS8.airTime(ofPayload: payload).rawValue == Int64(codedS8))
    }

    /// 4.5.10 names them: 976 µs for an empty payload with a check, 2,704 for 27 bytes and one, 64
    /// for each byte, all of S = 8; and 328, 2,120 and 17,040 as the ends of its ranges.
    @Test("The packets whose times the specification names take those")
    func named() {
        for byteCount in 0...251 {
            let time = PHY.codedS8.airTime(ofPayload: byteCount + 4).rawValue
            #expect(time == Int64(byteCount * 64 + 976))
        }
        #expect(PHY.codedS8.airTime(ofPayload: 27 + 4) == Microseconds(2_704))
        #expect(PHY.codedS8.airTime(ofPayload: 251 + 4) == Microseconds(17_040))
        #expect(PHY.le1M.airTime(ofPayload: 27 + 4) == Microseconds(328))
        #expect(PHY.le1M.airTime(ofPayload: 251 + 4) == Microseconds(2_120))
    }

    @Test("Another byte takes 8 µs over 1M, 4 over 2M, and 16 and 64 over the coded layers")
    func eachByte() {
        let times: [(PHY, Int64)] = [(.le1M, 8), (.le2M, 4), (.codedS2, 16), (.codedS8, 64)]
        for (phy, time) in times {
            for payload in 0..<255 {
                let one = phy.airTime(ofPayload: payload)
                let other = phy.airTime(ofPayload: payload + 1)
                #expect(other - one == Microseconds(time))
            }
        }
    }
}
