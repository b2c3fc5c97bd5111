import BLEOTATestSupport
import BLEOTAWire
import Foundation
import Testing

/// Whole sessions: each frame of the tapes is read as stated, and what arrived makes the objects.
@Suite("Vectors: transfers")
struct TransferVectorTests {
    private struct Tape: Decodable {
        let id: String
        let outcome: String
        let chunkSize: Int
        let transferTag: Hex
        let manifest: Hex
        let image: Hex
        let frames: [SentFrame]
    }

    private struct SentFrame: Decodable {
        let at: Int
        let from: String
        let channel: String
        let session: UInt16
        let fate: String
        let hex: Hex
        let meaning: FrameMeaning
    }

    private static let names = Repository.files(below: "spec/vectors/transfers", ending: ".json")

    @Test("Every frame is read as stated", arguments: names)
    func frames(path: String) throws {
        let tape = try tape(path)
        for sent in tape.frames {
            let bytes = sent.hex.bytes
            let session = SessionNumber(sent.session)
            let place = "\(tape.id) at \(sent.at)"
            if sent.channel == "data" {
                try expectData(sent, place)
            } else if sent.from == "sender" {
                let frame = try required(try sent.meaning.fromSender(), "\(place)")
                #expect(WireCoding.fromSender(bytes) == .success(frame), "\(place)")
                #expect(WireCoding.bytes(of: frame) == bytes, "\(place)")
            } else {
                let frame = try required(try sent.meaning.fromReceiver(), "\(place)")
                let read = WireCoding.fromReceiver(bytes, session: session)
                #expect(read == .success(frame), "\(place)")
                #expect(WireCoding.bytes(of: frame, session: session) == bytes, "\(place)")
            }
        }
        #expect(tape.frames.count > 5)
    }

    @Test("The chunks that were taken are pieces of the manifest and the image", arguments: names)
    func chunks(path: String) throws {
        let tape = try tape(path)
        var covered: [UInt8: Set<Int>] = [:]
        for sent in tape.frames where sent.channel == "data" && sent.fate == "taken" {
            guard let object = sent.meaning.object, let index = sent.meaning.index else { continue }
            let whole = object == 0 ? tape.manifest.bytes : tape.image.bytes
            let start = Int(index) * tape.chunkSize
            let payload = Array(sent.hex.bytes.dropFirst(2).dropLast(2))
            let isPiece = whole.dropFirst(start).starts(with: payload)
            // Wrong content on purpose is what a rejected block is about.
            #expect(isPiece || tape.id == "rejected-block", "\(tape.id) at \(sent.at)")
            covered[object, default: []].formUnion(start..<start + payload.count)
        }
        let tag = ReferenceSHA256.hash(of: tape.manifest.bytes).prefix(8)
        #expect(Array(tag) == tape.transferTag.bytes)
        // A resumed transfer has the beginning from before.
        if tape.outcome == "verified", tape.id != "resume" {
            #expect(covered[0]?.count == tape.manifest.bytes.count)
            #expect(covered[1]?.count == tape.image.bytes.count)
        }
    }

    private func expectData(_ sent: SentFrame, _ place: String) throws {
        let frame = try required(WireCoding.data(sent.hex.bytes), "\(place)")
        let index = try required(sent.meaning.index)
        let header = PseudoHeader(
            session: SessionNumber(sent.session),
            object: try sent.meaning.requireObject(),
            epoch: try sent.meaning.requireEpoch()
        )
        #expect(frame.isPoll == sent.meaning.poll, "\(place)")
        #expect(frame.chunkIndex(near: index) == index, "\(place)")
        #expect(frame.payloadRange.count == sent.meaning.payloadByteCount, "\(place)")
        #expect(
            WireCoding.isIntact(sent.hex.bytes, chunkIndex: index, header: header),
            "\(place)"
        )
    }

    private func tape(_ path: String) throws -> Tape {
        try JSONDecoder().decode(Tape.self, from: try Repository.bytes(of: path))
    }
}
