import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

@Suite("Vectors: arithmetic")
struct ArithmeticVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let operation: String
        let input: Input
        let output: Output?
    }

    private struct Input: Decodable {
        let linkByteCount: Int?
        let cumulative: UInt32?
        let low15: UInt16?
        let objectByteCount: UInt32?
        let chunkSize: Int?
        let credit: UInt16?
        let durableByteCount: UInt32?
        let bitmap: Hex?
        let present: UInt8?
        let received: UInt8?
        let opcode: UInt8?
        let from: String?
        let imageByteCount: UInt32?
        let k: UInt8?
        let attributeByteCount: UInt16?
        let name: String?
    }

    private struct Output: Decodable {
        let chunkSize: Int?
        let frameByteCount: Int?
        let index: UInt32?
        let cumulative: UInt32?
        let edge: UInt64?
        let arrived: [UInt64]?
        let order: String?
        let frame: String?
        let blockCount: Int?
        let manifestByteCount: Int?
        let nameTag: Hex?
    }

    /// Operations that this module does not do: what a link carries, and what is advertised, is the
    /// transports' affair.
    private static let elsewhere: Set = ["linkByteCount", "serviceData"]

    @Test("Every operation of the vectors is computed by a test")
    func operations() throws {
        let computed: Set = [
            "chunkSize", "chunkIndex", "account", "epochOrder", "direction", "manifestByteCount",
            "nameTag",
        ]
        let operations = Set(try VectorFile<Vector>.read("arithmetic").map(\.operation))
        #expect(operations == computed.union(Self.elsewhere))
    }

    //= CHUNK-1
    //= CHUNK-2
    @Test("Chunk sizes")
    func chunkSize() throws {
        for vector in try vectors("chunkSize") {
            let linkByteCount = try required(vector.input.linkByteCount)
            guard vector.result == .valid else {
                // Nothing to compute: the initializer demands a link that carries a chunk.
                #expect(linkByteCount < ChunkSize.smallest.frameByteCount, "\(vector.id)")
                continue
            }
            let size = ChunkSize(fittingFrameOf: linkByteCount)
            #expect(size.byteCount == vector.output?.chunkSize, "\(vector.id)")
            #expect(size.frameByteCount == vector.output?.frameByteCount, "\(vector.id)")
        }
    }

    //= DATA-1
    @Test("Chunk indices")
    func chunkIndex() throws {
        for vector in try vectors("chunkIndex") {
            let low = try required(vector.input.low15)
            let bytes = [UInt8(low & 0xFF), UInt8(low >> 8), 0, 0, 0]
            let frame = try required(WireCoding.data(bytes))
            let index = frame.chunkIndex(near: try required(vector.input.cumulative))
            #expect(index == vector.output?.index, "\(vector.id)")
            #expect((index == nil) == (vector.result == .invalid), "\(vector.id)")
        }
    }

    //= ACK-7
    @Test("Accounts")
    func account() throws {
        for vector in try vectors("account") {
            let input = vector.input
            let chunkSize = try required(
                ChunkSize(wordCount: UInt8(try required(input.chunkSize) / 4))
            )
            let account = Acknowledgement(
                answersPoll: false,
                object: .image,
                epoch: Epoch(0),
                truncatedCumulative: UInt16(try required(input.cumulative)),
                credit: try required(Credit(rawValue: try required(input.credit))),
                durableByteCount: try required(input.durableByteCount),
                bitmap: ReceivedBitmap(bytes: try required(input.bitmap).bytes)
            )
            let cumulative = account.cumulative(chunkSize: chunkSize)
            let isPossible = try isPossible(
                account,
                cumulative: cumulative,
                chunkSize: chunkSize,
                objectByteCount: required(input.objectByteCount)
            )
            #expect(isPossible == (vector.result == .valid), "\(vector.id)")
            guard let output = vector.output else { continue }
            #expect(cumulative == output.cumulative, "\(vector.id)")
            if case .chunks(let count) = account.credit {
                #expect(UInt64(cumulative) + UInt64(count) == output.edge, "\(vector.id)")
            } else {
                #expect(output.edge == nil, "\(vector.id)")
            }
            let arrived = (0..<ReceivedBitmap.bitCount).filter { account.bitmap[$0] }
            let indices = arrived.map { UInt64(cumulative) + 1 + UInt64($0) }
            #expect(indices == output.arrived, "\(vector.id)")
        }
    }

    //= ACK-8
    @Test("The order of epochs")
    func epochOrder() throws {
        for vector in try vectors("epochOrder") {
            let present = Epoch(try required(vector.input.present))
            let received = Epoch(try required(vector.input.received))
            let order =
                received == present ? "same" : received.isNewer(than: present) ? "newer" : "older"
            #expect(order == vector.output?.order, "\(vector.id)")
        }
    }

    //= FRAME-1
    @Test("Who may send an opcode")
    func direction() throws {
        for vector in try vectors("direction") {
            let opcode = ControlOpcode(rawValue: try required(vector.input.opcode))
            let isFromReceiver = vector.input.from == "receiver"
            let isAllowed = opcode?.isFromReceiver == isFromReceiver
            #expect(isAllowed == (vector.result == .valid), "\(vector.id)")
        }
    }

    //= MAN-1
    @Test("Lengths of manifests")
    func manifestByteCount() throws {
        for vector in try vectors("manifestByteCount") {
            let input = vector.input
            let attributes = attributes(byteCount: Int(try required(input.attributeByteCount)))
            let header =
                [0x42, 0x4C, 0x4D, 0x31, 1, try required(input.k), 0, 0]
                + little(try required(input.imageByteCount)) + little(UInt16(attributes.count))
                + [UInt8](repeating: 0, count: 34) + attributes
            let byteCount = vector.output?.manifestByteCount ?? max(header.count, 66)
            let manifest = header + [UInt8](repeating: 0, count: byteCount - header.count)
            do throws(ManifestError) {
                let fields = try ManifestFields(parsing: manifest.span.bytes)
                #expect(vector.result == .valid, "\(vector.id)")
                #expect(fields.blockCount == vector.output?.blockCount, "\(vector.id)")
            } catch {
                guard vector.result == .invalid else {
                    Issue.record("\(vector.id): \(error)")
                    continue
                }
                if case .wrongByteCount(let expected, _) = error {
                    #expect(expected > ManifestLayout.byteCountMax, "\(vector.id)")
                }
            }
        }
    }

    @Test("Name tags")
    func nameTag() throws {
        for vector in try vectors("nameTag") {
            let hash = ReferenceSHA256.hash(of: Array(try required(vector.input.name).utf8))
            #expect(Array(hash.prefix(8)) == vector.output?.nameTag?.bytes, "\(vector.id)")
        }
    }

    private func vectors(_ operation: String) throws -> [Vector] {
        let all = try VectorFile<Vector>.read("arithmetic")
        let vectors = all.filter { $0.operation == operation }
        #expect(!vectors.isEmpty)
        return vectors
    }

    /// What [ACK-11] asks of an account, said again here: the wire module leaves it to the sender.
    private func isPossible(
        _ account: Acknowledgement,
        cumulative: UInt32?,
        chunkSize: ChunkSize,
        objectByteCount: UInt32
    ) -> Bool {
        guard let cumulative else { return false }
        let chunkCount =
            (UInt64(objectByteCount) + UInt64(chunkSize.byteCount) - 1)
            / UInt64(chunkSize.byteCount)
        let shownEnd = account.bitmap.endIndex
        return UInt64(cumulative) <= chunkCount && account.durableByteCount <= objectByteCount
            && (shownEnd == 0 || UInt64(cumulative) + 1 + UInt64(shownEnd) <= chunkCount)
    }

    /// Attributes of private types that fill so many bytes.
    private func attributes(byteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var type: UInt8 = 0x40
        while bytes.count + 2 <= byteCount {
            var valueByteCount = min(byteCount - bytes.count - 2, 255)
            // A single byte left over would be too short for an attribute.
            if byteCount - bytes.count - 2 - valueByteCount == 1 { valueByteCount -= 1 }
            bytes += [type, UInt8(valueByteCount)] + [UInt8](repeating: 0, count: valueByteCount)
            type += 1
        }
        return bytes
    }

    private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
