import BLEOTAWire
import Testing

@Suite("Control frames, there and back")
struct ControlFrameRoundTripTests {
    @Test("Every extreme of every field of a sender's frames comes back")
    func extremesFromSender() {
        let frames = Sample.extremesFromSender
        let changed = frames.filter { Wire.fromSender(Wire.bytes(of: $0)) != .success($0) }
        #expect(changed == [])
        #expect(frames.count == 5 * (64 + 10 + 6 + 12))
    }

    @Test("Every extreme of every field of a receiver's frames comes back")
    func extremesFromReceiver() {
        let frames = Sample.extremesFromReceiver
        let changed = frames.filter {
            let session = ownSession(of: $0)
            return Wire.fromReceiver(Wire.bytes(of: $0, session: session), session: session)
                != .success($0)
        }
        #expect(changed == [])
        #expect(frames.count > 900)
    }

    @Test("Random frames of a sender come back, and say their session")
    func randomFromSender() {
        var random = SeededGenerator()
        for _ in 0..<5_000 {
            let frame = Sample.randomFromSender(using: &random)
            let bytes = Wire.bytes(of: frame)
            guard Wire.fromSender(bytes) == .success(frame) else {
                Issue.record("\(frame) does not come back from \(bytes)")
                return
            }
            #expect(Wire.little(frame.session.rawValue) == Array(bytes[1...2]))
        }
    }

    @Test("Random frames of a receiver come back")
    func randomFromReceiver() {
        var random = SeededGenerator()
        for _ in 0..<5_000 {
            let frame = Sample.randomFromReceiver(using: &random)
            let session = SessionNumber(.random(in: 0...UInt16.max, using: &random))
            let bytes = Wire.bytes(of: frame, session: session)
            guard Wire.fromReceiver(bytes, session: session) == .success(frame) else {
                Issue.record("\(frame) of \(session) does not come back from \(bytes)")
                return
            }
        }
    }

    @Test("No frame is longer than 18 bytes, but by a bitmap in ACK and a piece in PROOF")
    func lengths() {
        for frame in Sample.extremesFromSender {
            #expect(Wire.bytes(of: frame).count <= 18)
        }
        for frame in Sample.extremesFromReceiver {
            let byteCount = Wire.bytes(of: frame, session: Sample.session).count
            switch frame {
            case .acknowledgement(let acknowledgement):
                #expect(byteCount == 15 + acknowledgement.bitmap.byteCount)
                #expect(byteCount == acknowledgement.byteCount)
            case .proof(let proof): #expect(byteCount == 4 + proof.piece.byteCount)
            default: #expect(byteCount <= 18)
            }
        }
        #expect(ReceiverControl.byteCountMax == 79)
    }

    /// The session in the checksum of a receiver's frame; any will do for those that name theirs.
    private func ownSession(of frame: ReceiverControl) -> SessionNumber {
        if case .request(let request) = frame { request.session } else { Sample.session }
    }
}
