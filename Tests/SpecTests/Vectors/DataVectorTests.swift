import BLEOTATestSupport
import BLEOTAWire
import Testing

@Suite("Vectors: data frames")
struct DataVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let context: Context?
        let hex: Hex
        let frame: Frame?
        let reason: String?
        let reply: Hex?
    }

    private struct Context: Decodable {
        let session: UInt16
        let object: UInt8
        let epoch: UInt8
        let objectByteCount: UInt64
        let chunkSize: UInt64
        let cumulative: UInt32
        /// `nil` for unlimited credit.
        let edge: UInt32?

        var header: PseudoHeader {
            PseudoHeader(
                session: SessionNumber(session),
                object: ObjectID(rawValue: object),
                epoch: Epoch(epoch)
            )
        }

        /// How many bytes the chunk has; `nil` past the last.
        func byteCount(ofChunk index: UInt32) -> Int? {
            let start = UInt64(index) * chunkSize
            return start < objectByteCount ? Int(min(chunkSize, objectByteCount - start)) : nil
        }
    }

    private struct Frame: Decodable {
        let kind: String
        let poll: Bool?
        let index: UInt32?
        let payload: Hex?
        let token: UInt16?
        let byteCount: Int?
    }

    /// What a receiver makes of a datagram with the wire module's answers alone.
    private enum Reading: Equatable {
        case chunk(index: UInt32, isPoll: Bool, payload: [UInt8])
        case probe(token: UInt16, byteCount: Int)
        case refused(String)
    }

    //= DATA-1
    //= DATA-2
    @Test("Every data frame and probe is read as stated or refused for the stated reason")
    func all() throws {
        let vectors = try VectorFile<Vector>.read("data")
        for vector in vectors {
            let reading = read(vector.hex.bytes, in: vector.context)
            #expect(reading == (try stated(vector)), "\(vector.id)")
        }
        #expect(vectors.count > 200)
    }

    @Test("Every valid frame is written again, and every probe answered")
    func written() throws {
        for vector in try VectorFile<Vector>.read("data") where vector.result == .valid {
            let bytes = vector.hex.bytes
            switch read(bytes, in: vector.context) {
            case .chunk(let index, let isPoll, let payload):
                let header = try required(vector.context).header
                let written = WireCoding.dataFrame(
                    chunkIndex: index,
                    isPoll: isPoll,
                    payload: payload[...],
                    header: header
                )
                #expect(written == bytes, "\(vector.id)")
            case .probe(let token, let byteCount):
                let written = WireCoding.dataFrame(
                    chunkIndex: UInt32(token),
                    isPoll: false,
                    payload: bytes[2..<bytes.count - 2],
                    header: .echo
                )
                #expect(written == bytes, "\(vector.id)")
                let reply = ReceiverControl.echoReply(
                    .init(token: token, byteCount: UInt16(byteCount))
                )
                let sent = WireCoding.bytes(of: reply, session: SessionNumber(0x7777))
                #expect(sent == vector.reply?.bytes, "\(vector.id)")
            case .refused(let reason):
                Issue.record("\(vector.id) is refused: \(reason)")
            }
        }
    }

    private func read(_ bytes: [UInt8], in context: Context?) -> Reading {
        guard let frame = WireCoding.data(bytes) else { return .refused("length") }
        let chunk = context.map { readChunk(frame, bytes, in: $0) } ?? .refused("checksum")
        let isProbe =
            !frame.isPoll
            && WireCoding.isIntact(bytes, chunkIndex: UInt32(frame.token), header: .echo)
        if case .refused = chunk, isProbe {
            return .probe(token: frame.token, byteCount: frame.byteCount)
        }
        return chunk
    }

    private func readChunk(
        _ frame: DataFrame,
        _ bytes: [UInt8],
        in context: Context
    ) -> Reading {
        guard let index = frame.chunkIndex(near: context.cumulative) else {
            return .refused("index")
        }
        guard WireCoding.isIntact(bytes, chunkIndex: index, header: context.header) else {
            return .refused("checksum")
        }
        if let edge = context.edge, index >= edge { return .refused("edge") }
        guard frame.payloadRange.count == context.byteCount(ofChunk: index) else {
            return .refused("payload")
        }
        return .chunk(
            index: index,
            isPoll: frame.isPoll,
            payload: Array(bytes[frame.payloadRange])
        )
    }

    private func stated(_ vector: Vector) throws -> Reading {
        guard vector.result == .valid else { return .refused(try required(vector.reason)) }
        let frame = try required(vector.frame)
        if frame.kind == "probe" {
            return .probe(
                token: try required(frame.token),
                byteCount: try required(frame.byteCount)
            )
        }
        return .chunk(
            index: try required(frame.index),
            isPoll: try required(frame.poll),
            payload: try required(frame.payload).bytes
        )
    }
}
