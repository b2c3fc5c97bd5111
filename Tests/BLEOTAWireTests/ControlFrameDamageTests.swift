import BLEOTAWire
import Testing

/// What a link may do to a control frame. Every damage that the checksum promises to find is tried
/// whole; cutting and lengthening is tried on fixed frames, because there it is only likely to.
@Suite("Damaged control frames")
struct ControlFrameDamageTests {
    //= FRAME-2
    @Test("A sender's frame with any one or two bits flipped is refused")
    func flipsFromSender() {
        for frame in Sample.eachFromSender {
            let bytes = Wire.bytes(of: frame)
            let accepted = flips(of: bytes).filter {
                Wire.fromSender(Wire.flipping($0, of: bytes)).success != nil
            }
            #expect(accepted == [], "\(frame)")
        }
    }

    //= FRAME-2
    @Test("A receiver's frame with any one or two bits flipped is refused")
    func flipsFromReceiver() {
        for frame in Sample.eachFromReceiver {
            let bytes = Wire.bytes(of: frame, session: Sample.session)
            let accepted = flips(of: bytes).filter {
                let damaged = Wire.flipping($0, of: bytes)
                return Wire.fromReceiver(damaged, session: Sample.session).success != nil
            }
            #expect(accepted == [], "\(frame)")
        }
    }

    //= FRAME-2
    @Test("Any one bit flipped in any frame of extremes is refused")
    func singleFlipsOfExtremes() {
        for frame in Sample.extremesFromSender {
            let unseen = Wire.unseenFlips(of: Wire.bytes(of: frame)) {
                Wire.fromSender($0).success != nil
            }
            #expect(unseen == [], "\(frame)")
        }
        // Every seventh: 7 shares no factor with the number of extremes of any field, so that each
        // extreme comes up.
        for (offset, frame) in Sample.extremesFromReceiver.enumerated() where offset % 7 == 0 {
            let bytes = Wire.bytes(of: frame, session: Sample.session)
            let unseen = Wire.unseenFlips(of: bytes) {
                Wire.fromReceiver($0, session: Sample.session).success != nil
            }
            #expect(unseen == [], "\(frame)")
        }
    }

    //= FRAME-1
    @Test("A sender's frame that is cut short or lengthened is refused")
    func lengthsFromSender() {
        for frame in Sample.eachFromSender {
            let bytes = Wire.bytes(of: frame)
            for damaged in otherLengths(of: bytes) {
                let expected: FrameDecodingError = damaged.isEmpty ? .empty : .length
                #expect(Wire.fromSender(damaged) == .failure(expected))
            }
        }
    }

    //= FRAME-1
    @Test("A receiver's frame that is cut short or lengthened is refused")
    func lengthsFromReceiver() {
        for frame in Sample.eachFromReceiver {
            let bytes = Wire.bytes(of: frame, session: Sample.session)
            for damaged in otherLengths(of: bytes) {
                let outcome = Wire.fromReceiver(damaged, session: Sample.session)
                // An ACK may have any length from 15 to 79, and a PROOF any from 4 to 79, so there
                // the checksum must tell.
                let mayBeWhole =
                    bytes[0] == 0x19 && (15...79).contains(damaged.count)
                    || bytes[0] == 0x1E && (4...79).contains(damaged.count)
                let expected: FrameDecodingError =
                    damaged.isEmpty ? .empty : mayBeWhole ? .checksum : .length
                #expect(outcome == .failure(expected))
            }
        }
    }

    //= FRAME-2
    @Test("A receiver's frame of any other session is refused")
    func otherSession() {
        for frame in Sample.eachFromReceiver {
            let bytes = Wire.bytes(of: frame, session: Sample.session)
            let accepting = (0...UInt16.max).filter {
                Wire.fromReceiver(bytes, session: SessionNumber($0)) == .success(frame)
            }
            switch frame {
            // REQUEST opens a session and ECHO REPLY has none: they are read in any.
            case .request, .echoReply: #expect(accepting.count == 65_536)
            case .acknowledgement, .busy, .result, .status, .proof:
                #expect(accepting == [Sample.session.rawValue])
                let other = Wire.fromReceiver(bytes, session: Sample.session.next)
                #expect(other == .failure(.checksum))
            }
        }
    }

    /// These frames hold their session, which is also in the pseudo-header, so a change counts
    /// twice, 24 bits apart. Together they are a multiple of the polynomial for one change only,
    /// which flips 9 bits of 16.
    //= FRAME-2
    @Test("Of all changes of the session of a sender's frame, the checksum misses one of 9 bits")
    func changedSession() {
        for frame in Sample.eachFromSender {
            let bytes = Wire.bytes(of: frame)
            let missed = (UInt16(1)...UInt16.max).filter { change in
                let session = Wire.little(frame.session.rawValue ^ change)
                return Wire.fromSender(bytes[..<1] + session + bytes[3...]).success != nil
            }
            #expect(missed == [0xF80F])
        }
    }

    /// Every single bit, and every two bits that are less than 18 bytes apart: in all frames but a
    /// long ACK, which would have 200,000 pairs, these are all pairs.
    private func flips(of bytes: [UInt8]) -> [[Int]] {
        let bits = 0..<bytes.count * 8
        return bits.map { [$0] }
            + bits.flatMap { first in
                (first + 1..<min(first + 144, bits.upperBound)).map { [first, $0] }
            }
    }

    private func otherLengths(of bytes: [UInt8]) -> [[UInt8]] {
        let cut = (0..<bytes.count).map { Array(bytes[..<$0]) }
        let lengthened = (1...100).flatMap { more in
            [0x00, 0x19, 0xFF].map { bytes + [UInt8](repeating: $0, count: more) }
        }
        return cut + lengthened
    }
}
