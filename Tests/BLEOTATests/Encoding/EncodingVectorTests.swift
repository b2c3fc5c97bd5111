import BLEOTAWire
import Crypto
import Foundation
import Testing

@testable import BLEOTA

/// spec/vectors/encoding.json: encoded images that another program made from the text of the
/// specification, rightly and wrongly.
@Suite("Vectors: encoded images")
struct EncodingVectorTests {
    private struct File: Decodable {
        let vectors: [Vector]
    }

    private struct Vector: Decodable {
        let id: String
        let result: String
        let reason: String?
        let k: Int
        let encoding: UInt8
        let imageByteCount: Int
        let imageSHA256: String
        let object: String
        let base: String?
        let seal: String?
        let privateKey: String?
        let image: String?

        /// - Throws: where this is no vector of section 4.5.
        func decoded() throws -> (refusal: ManifestRefusal?, image: [UInt8]?) {
            let object = try bytes(object)
            let base = try base.map(bytes)
            let statement = EncodingStatement(
                compression: Compression(rawValue: encoding & ~ManifestLayout.sealedBit),
                byteCount: imageByteCount,
                sha256: try bytes(imageSHA256),
                base: base.map { Array(SHA256.hash(data: $0)) },
                seal: try seal.map(bytes)
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
                [try UnsealingKey(pem: KeyEncoding.unsealing.pem(of: try bytes($0)))]
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
        let vectors = try Self.vectors()
        #expect(vectors.count > 100)
        for vector in vectors {
            if vector.encoding & 0x7F == 2, !ImageDecoder.compressions.contains(.patch) { continue }
            let (refusal, image) = try vector.decoded()
            if vector.result == "valid" {
                #expect(refusal == nil, "\(vector.id)")
                #expect(try image == vector.image.map(bytes), "\(vector.id)")
            } else {
                #expect(image == nil, "\(vector.id): \(vector.reason ?? "")")
                let isOfKey = ["key", "recipient"].contains(vector.reason)
                #expect((refusal?.reason == .wrongRecipient) == isOfKey, "\(vector.id)")
            }
        }
    }

    private static func vectors() throws -> [Vector] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let data = try Data(contentsOf: root.appending(path: "spec/vectors/encoding.json"))
        return try JSONDecoder().decode(File.self, from: data).vectors
    }
}

/// What hexadecimal digits say.
private func bytes(_ hex: String) throws -> [UInt8] {
    let digits = Array(hex.utf8)
    return try stride(from: 0, to: digits.count, by: 2).map {
        try #require(UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16))
    }
}
