import BLEOTAWire
import Testing

/// An OPEN of another version is the one frame that is not read and may be answered all the same;
/// RESULT *version*, that answer, is the one frame that is read in every version.
@Suite("Frames of other versions")
struct ForeignVersionTests {
    private static let others: [UInt8] = (0...15).filter { $0 != 1 }

    //= FRAME-4
    @Test("An OPEN of another version with a right checksum tells its session", arguments: others)
    func opening(version: UInt8) {
        for byteCount in 5...100 {
            let body = [version << 4 | 1, 0xCD, 0xAB] + [UInt8](repeating: 9, count: byteCount - 5)
            let sealed = Wire.sealed(body, session: 0xABCD)
            #expect(
                Wire.fromSender(sealed)
                    == .failure(.version(opening: SessionNumber(0xABCD)))
            )
        }
    }

    //= FRAME-2
    @Test("An OPEN of another version with a wrong checksum tells none", arguments: others)
    func damagedOpening(version: UInt8) {
        let sealed = Wire.sealed([version << 4 | 1, 0xCD, 0xAB, 1, 2, 3], session: 0xABCD)
        // Byte 0 is left alone: damage there can make a frame of this version of it.
        for bit in 8..<sealed.count * 8 {
            let damaged = Wire.flipping([bit], of: sealed)
            #expect(Wire.fromSender(damaged) == .failure(.version(opening: nil)))
        }
    }

    @Test("An OPEN of another version too short for a session tells none", arguments: 1...4)
    func shortOpening(byteCount: Int) {
        let bytes = [UInt8]([0x21, 0, 0, 0].prefix(byteCount))
        #expect(Wire.fromSender(bytes) == .failure(.version(opening: nil)))
    }

    @Test("Other frames of another version tell no session", arguments: others)
    func otherFrames(version: UInt8) {
        for opcode in UInt8(0)...15 {
            let sealed = Wire.sealed([version << 4 | opcode, 0xCD, 0xAB, 0, 0], session: 0xABCD)
            if opcode != 1 {
                #expect(Wire.fromSender(sealed) == .failure(.version(opening: nil)))
            }
            if opcode != 11 {
                let outcome = Wire.fromReceiver(sealed, session: SessionNumber(0xABCD))
                #expect(outcome == .failure(.version(opening: nil)))
            }
        }
    }

    //= FRAME-1
    //= FRAME-4
    @Test(
        "RESULT *version* is read in every version, and tells those of its end",
        arguments: 0...15
    )
    func answerOfEveryVersion(version: UInt8) {
        let session = SessionNumber(0xABCD)
        let body = [version << 4 | 11, 0x01, 0x01, 2, 3, 0, 0, 0, 0, 0, 0]
        let sealed = Wire.sealed(body, session: session.rawValue)
        let expected = ReceiverControl.result(.init(reason: .version, detail: 0x0302))
        #expect(Wire.fromReceiver(sealed, session: session) == .success(expected))
        #expect(Wire.fromReceiver(sealed, session: session.next) == .failure(.checksum))
        #expect(Wire.fromReceiver(sealed.dropLast(), session: session) == .failure(.length))
        let unseen = Wire.unseenFlips(of: sealed) {
            Wire.fromReceiver($0, session: session).success != nil
        }
        #expect(unseen == [])
    }

    //= FRAME-1
    @Test("A RESULT of another version with any other reason is refused", arguments: others)
    func otherResults(version: UInt8) {
        for reason: UInt16 in [0x0000, 0x0100, 0x0102, 0x0201, 0x0701, 0xFFFF] {
            let body = [version << 4 | 11] + Wire.little(reason) + [0, 0, 0, 0, 0, 0, 0, 0]
            let outcome = Wire.fromReceiver(
                Wire.sealed(body, session: 5),
                session: SessionNumber(5)
            )
            #expect(outcome == .failure(.version(opening: nil)))
        }
    }

    //= FRAME-4
    @Test("The answer names the lowest and the highest version in bytes 0 and 1 of its detail")
    func answer() {
        let detail = Wire.little(ProtocolVersion.resultDetail)
        #expect(detail == [ProtocolVersion.lowest, ProtocolVersion.highest, 0, 0, 0, 0, 0, 0])
        let range = ProtocolVersion.lowest...ProtocolVersion.highest
        #expect(range.contains(ProtocolVersion.current))
    }
}
