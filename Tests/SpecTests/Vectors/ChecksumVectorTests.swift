import BLEOTATestSupport
import BLEOTAWire
import Testing

@Suite("Vectors: checksum")
struct ChecksumVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let pseudoHeader: Hex
        let covered: Hex
        let sent: Hex
        let checksum: UInt16?
    }

    //= CRC-1
    @Test("The checksum of every vector is the one that is sent, or is not")
    func all() throws {
        let vectors = try VectorFile<Vector>.read("checksum")
        let wrong = vectors.filter { vector in
            var checksum = Checksum()
            checksum.update(vector.pseudoHeader.bytes.span.bytes)
            checksum.update(vector.covered.bytes.span.bytes)
            let isSent = UInt64(checksum.value) == vector.sent.littleEndianNumber
            let isStated = vector.checksum.map { $0 == checksum.value } ?? true
            return isSent != (vector.result == .valid) || !isStated
        }
        expectNone(wrong.map(\.id), "vectors")
        #expect(vectors.count > 100)
    }
}
