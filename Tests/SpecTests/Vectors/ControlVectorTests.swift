import BLEOTATestSupport
import BLEOTAWire
import Testing

@Suite("Vectors: control frames")
struct ControlVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let from: String
        let session: UInt16?
        let hex: Hex
        let frame: FrameMeaning?
        let reason: String?
        let answer: Hex?

        var end: SessionNumber { session.map(SessionNumber.init) ?? .none }
    }

    @Test("Every valid frame of a sender is read as stated, and written again")
    func validFromSender() throws {
        for vector in try vectors(.valid, from: "sender") {
            let frame = try required(try vector.frame?.fromSender(), "\(vector.id)")
            #expect(WireCoding.fromSender(vector.hex.bytes) == .success(frame), "\(vector.id)")
            #expect(WireCoding.bytes(of: frame) == vector.hex.bytes, "\(vector.id)")
        }
    }

    @Test("Every valid frame of a receiver is read as stated, and written again")
    func validFromReceiver() throws {
        for vector in try vectors(.valid, from: "receiver") {
            let frame = try required(try vector.frame?.fromReceiver(), "\(vector.id)")
            let read = WireCoding.fromReceiver(vector.hex.bytes, session: vector.end)
            #expect(read == .success(frame), "\(vector.id)")
            // A RESULT of another version is read, but only written by an end of that version.
            let version = vector.frame?.version ?? ProtocolVersion.current
            if version == ProtocolVersion.current {
                let written = WireCoding.bytes(of: frame, session: vector.end)
                #expect(written == vector.hex.bytes, "\(vector.id)")
            }
        }
    }

    //= FRAME-1
    //= FRAME-2
    @Test(
        "Every invalid frame is refused for the stated reason",
        arguments: ["sender", "receiver"]
    )
    func invalid(from end: String) throws {
        for vector in try vectors(.invalid, from: end) {
            let error = try required(refusal(of: vector), "\(vector.id) is not refused")
            let reason = try required(vector.reason)
            #expect(reasons(for: error, in: vector.hex.bytes).contains(reason), "\(vector.id)")
        }
    }

    //= FRAME-4
    @Test("Of all refused frames, those of other versions that are to be answered tell a session")
    func answers() throws {
        for vector in try vectors(.invalid, from: "sender") {
            var answer: [UInt8]?
            if case .version(let session?) = refusal(of: vector) {
                let result = ReceiverControl.result(
                    .init(reason: .version, detail: ProtocolVersion.resultDetail)
                )
                answer = WireCoding.bytes(of: result, session: session)
            }
            #expect(answer == vector.answer?.bytes, "\(vector.id)")
        }
    }

    private func vectors(_ result: VectorResult, from end: String) throws -> [Vector] {
        let all = try VectorFile<Vector>.read("control")
        let vectors = all.filter { $0.result == result && $0.from == end }
        #expect(vectors.count > 10)
        return vectors
    }

    private func refusal(of vector: Vector) -> FrameDecodingError? {
        if vector.from == "sender" {
            if case .failure(let error) = WireCoding.fromSender(vector.hex.bytes) { return error }
        } else {
            let read = WireCoding.fromReceiver(vector.hex.bytes, session: vector.end)
            if case .failure(let error) = read { return error }
        }
        return nil
    }

    /// The reasons of spec/vectors/README.md that the error stands for.
    private func reasons(for error: FrameDecodingError, in bytes: [UInt8]) -> [String] {
        // A frame too short for a checksum has no version or opcode for the vectors yet.
        if bytes.count < 3 { return ["length"] }
        return switch error {
        case .empty, .length: ["length"]
        case .version: ["version"]
        case .opcode: ["opcode"]
        case .checksum: ["checksum"]
        case .reserved: ["reserved"]
        // The bitmap's encoding is a range in section 2.3 and a reason of its own in the vectors.
        case .range: ["range", "bitmap"]
        }
    }
}
