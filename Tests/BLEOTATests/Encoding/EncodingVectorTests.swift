import BLEOTACore
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Crypto
import Testing

@testable import BLEOTA

/// spec/vectors/encoding.json: encoded images that another program made from the text of the
/// specification, rightly and wrongly.
@Suite("Vectors: encoded images")
struct EncodingVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let reason: String?
        let k: Int
        let encoding: UInt8
        let imageByteCount: Int
        let imageSHA256: Hex
        let object: Hex
        let base: Hex?
        let seal: Hex?
        let privateKey: Hex?
        let image: Hex?

        /// - Throws: where this is no vector of section 4.5.
        func decoded() throws -> (refusal: ManifestRefusal?, image: [UInt8]?) {
            let object = object.bytes
            let base = base?.bytes
            let statement = EncodingStatement(
                compression: Compression(rawValue: encoding & ~ManifestLayout.sealedBit),
                byteCount: imageByteCount,
                sha256: imageSHA256.bytes,
                base: base.map { Array(SHA256.hash(data: $0)) },
                seal: seal?.bytes
            )
            let manifest = Manifest.make(
                imageByteCount: object.count,
                blockByteCount: 1 << k,
                name: nil,
                version: nil,
                loadAddress: nil,
                restrictions: ImageRestrictions(),
                encoding: statement
            ) { offset, byteCount in Array(object[offset..<offset + byteCount]) }
            let keys = try privateKey.map {
                [try UnsealingKey(pem: KeyEncoding.unsealing.pem(of: $0.bytes))]
            }
            let decoder = ImageDecoder(unsealingKeys: keys ?? [])
            let encoding = try #require(manifest.encoding)
            let current = base.map { Array(SHA256.hash(data: $0)) }
            let refusal = decoder.refusal(of: encoding, in: manifest, currentSHA256: current)
            var image: [UInt8] = []
            let isWhole = decoder.decode(
                manifest,
                base: { base },
                read: { Array(object[$0]) },
                write: { image += $0 }
            )
            #expect(image.count <= imageByteCount, "\(id)")
            return (refusal, isWhole ? image : nil)
        }
    }

    //= ENC-2
    //= ENC-3
    //= SEAL-2
    //= ACCEPT-9
    @Test("Every valid one becomes its image, and no invalid one becomes any")
    func all() throws {
        let vectors = try VectorFile<Vector>.read("encoding")
        #expect(vectors.count > 100)
        for vector in vectors {
            if vector.encoding & 0x7F == 2, !ImageDecoder.compressions.contains(.patch) { continue }
            let (refusal, image) = try vector.decoded()
            if vector.result == .valid {
                #expect(refusal == nil, "\(vector.id)")
                #expect(image == vector.image?.bytes, "\(vector.id)")
            } else {
                #expect(image == nil, "\(vector.id): \(vector.reason ?? "")")
                let isOfKey = ["key", "recipient"].contains(vector.reason)
                #expect((refusal?.reason == .wrongRecipient) == isOfKey, "\(vector.id)")
            }
        }
    }
}
