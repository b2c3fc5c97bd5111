import BLEOTATestSupport
import Testing

@testable import BLEOTA

/// spec/vectors/manifest.json: signatures that another program made from the text of section 4.3,
/// rightly and wrongly.
@Suite("Vectors: signatures")
struct SignatureVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let hex: Hex
        let signedBy: [Hex]?
        let notSignedBy: [Hex]?
    }

    @Test("Every signature that is right counts, and none that is wrong or of somebody else")
    func all() throws {
        var (rightCount, wrongCount) = (0, 0)
        for vector in try VectorFile<Vector>.read("manifest") where vector.result == .valid {
            let manifest = try Manifest(bytes: vector.hex.bytes)
            for key in vector.signedBy ?? [] {
                let isSigned = manifest.isSigned(by: try self.key(key.bytes))
                #expect(isSigned, "\(vector.id)")
                rightCount += 1
            }
            for key in vector.notSignedBy ?? [] {
                let isSigned = manifest.isSigned(by: try self.key(key.bytes))
                #expect(!isSigned, "\(vector.id)")
                wrongCount += 1
            }
        }
        #expect(rightCount > 5 && wrongCount > 10)
    }

    /// Keys of P-256 are longer than those of Ed25519.
    private func key(_ bytes: [UInt8]) throws -> VerifyingKey {
        try VerifyingKey(bytes: bytes, kind: bytes.count == 32 ? .ed25519 : .p256)
    }
}
