import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

@Suite("Vectors: manifests")
struct ManifestVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let hex: Hex
        let image: Image?
        let transferTag: Hex?
        let verifiedDetail: HexNumber?
        let manifest: Manifest?
        let reason: String?
    }

    private struct Image: Decodable {
        let byteCount: Int
        let `repeat`: Hex

        var bytes: [UInt8] { (0..<byteCount).map { `repeat`.bytes[$0 % `repeat`.bytes.count] } }
    }

    private struct Manifest: Decodable {
        let k: UInt8
        let imageByteCount: UInt32
        let imageSHA256: Hex
        let attributes: [Attribute]
        let blockHashes: [Hex]
        let signatures: [Signature]
    }

    private struct Signature: Decodable {
        let algorithm: UInt8
        let keyID: Hex
        let value: Hex
    }

    private struct Attribute: Decodable, Equatable {
        let type: UInt8
        let value: Hex

        static func == (left: Attribute, right: Attribute) -> Bool {
            left.type == right.type && left.value.bytes == right.value.bytes
        }
    }

    //= MAN-1
    @Test("Every valid manifest has the stated fields")
    func fields() throws {
        for vector in try vectors(.valid) {
            let bytes = vector.hex.bytes
            let stated = try required(vector.manifest)
            let fields = try required(
                try? ManifestFields(parsing: bytes.span.bytes),
                "\(vector.id)"
            )
            #expect(fields.blockSizeExponent == stated.k, "\(vector.id)")
            #expect(fields.imageByteCount == stated.imageByteCount, "\(vector.id)")
            #expect(Array(bytes[fields.sha256]) == stated.imageSHA256.bytes, "\(vector.id)")
            let hashes = (0..<fields.blockCount).map { Array(bytes[fields.hash(ofBlock: $0)]) }
            #expect(hashes == stated.blockHashes.map(\.bytes), "\(vector.id)")
            #expect(fields.byteCount == bytes.count, "\(vector.id)")
        }
    }

    //= MAN-2
    @Test("Every valid manifest has the stated attributes, which are found by their type")
    func attributes() throws {
        for vector in try vectors(.valid) {
            let bytes = vector.hex.bytes
            let stated = try required(vector.manifest).attributes
            let fields = try required(try? ManifestFields(parsing: bytes.span.bytes))
            var cursor = fields.attributeCursor
            var position = 0
            while let attribute = cursor.next(in: bytes.span.bytes) {
                let expected = try required(position < stated.count ? stated[position] : nil)
                #expect(attribute.type.rawValue == expected.type, "\(vector.id)")
                #expect(Array(bytes[attribute.value]) == expected.value.bytes, "\(vector.id)")
                position += 1
            }
            #expect(position == stated.count, "\(vector.id)")
            for type in UInt8.min...UInt8.max {
                let value = fields.value(
                    of: ManifestAttributeType(rawValue: type),
                    in: bytes.span.bytes
                )
                let expected = stated.first { $0.type == type }
                #expect(value.map { Array(bytes[$0]) } == expected?.value.bytes, "\(vector.id)")
            }
        }
    }

    //= MAN-6
    @Test("Every valid manifest has the stated signatures")
    func signatures() throws {
        var signedCount = 0
        for vector in try vectors(.valid) {
            let bytes = vector.hex.bytes
            let stated = try required(vector.manifest).signatures
            let fields = try required(try? ManifestFields(parsing: bytes.span.bytes))
            var cursor = fields.signatureCursor
            for expected in stated {
                let signature = try required(cursor.next(in: bytes.span.bytes))
                #expect(signature.algorithm.rawValue == expected.algorithm, "\(vector.id)")
                let keyID = expected.keyID.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
                #expect(signature.keyID.rawValue == keyID, "\(vector.id)")
                #expect(Array(bytes[signature.value]) == expected.value.bytes, "\(vector.id)")
            }
            #expect(cursor.next(in: bytes.span.bytes) == nil, "\(vector.id)")
            #expect(fields.signedBytes.upperBound + 2 == fields.signatures.lowerBound)
            signedCount += stated.isEmpty ? 0 : 1
        }
        #expect(signedCount > 10)
    }

    @Test("The tags and hashes of every valid manifest are those of its bytes and its image")
    func hashes() throws {
        for vector in try vectors(.valid) {
            let manifestHash = ReferenceSHA256.hash(of: vector.hex.bytes)
            #expect(Array(manifestHash.prefix(8)) == vector.transferTag?.bytes, "\(vector.id)")
            let image = try required(vector.image).bytes
            let stated = try required(vector.manifest)
            let imageHash = ReferenceSHA256.hash(of: image)
            #expect(imageHash == stated.imageSHA256.bytes, "\(vector.id)")
            // What RESULT says is of the image that it becomes.
            let encoding = stated.attributes.first { $0.type == 0x85 }
            let decodedHash = encoding.map { Array($0.value.bytes[5...]) } ?? imageHash
            let detail = decodedHash.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            #expect(detail == vector.verifiedDetail?.value, "\(vector.id)")
            let blockByteCount = 1 << Int(stated.k)
            let starts = stride(from: 0, to: image.count, by: blockByteCount)
            let blockHashes = starts.map { start in
                let block = image[start..<min(start + blockByteCount, image.count)]
                return Array(ReferenceSHA256.hash(of: Array(block)).prefix(16))
            }
            #expect(blockHashes == stated.blockHashes.map(\.bytes), "\(vector.id)")
        }
    }

    //= MAN-1
    //= MAN-2
    //= MAN-3
    //= MAN-4
    //= MAN-7
    //= MAN-8
    //= MAN-9
    //= MAN-10
    //= MAN-11
    @Test("Every invalid manifest is refused for the stated reason")
    func invalid() throws {
        for vector in try vectors(.invalid) {
            do throws(ManifestError) {
                _ = try ManifestFields(parsing: vector.hex.bytes.span.bytes)
                Issue.record("\(vector.id) is not refused")
            } catch {
                #expect(reason(for: error) == vector.reason, "\(vector.id): \(error)")
            }
        }
    }

    private func vectors(_ result: VectorResult) throws -> [Vector] {
        let vectors = try VectorFile<Vector>.read("manifest").filter { $0.result == result }
        #expect(vectors.count > 20)
        return vectors
    }

    private func reason(for error: ManifestError) -> String {
        switch error {
        case .tooShort, .tooLong, .wrongByteCount: "length"
        case .notAManifest: "magic"
        case .unknownFormatVersion: "version"
        case .reservedNotZero: "reserved"
        case .blockSizeOutOfRange, .emptyImage, .attributesTooLong, .signaturesTooLong: "range"
        case .signatureCutShort, .signatureOutOfOrder, .signatureLengthOutOfRange: "signature"
        case .attributeCutShort, .attributeOutOfOrder, .attributeLengthOutOfRange: "attribute"
        case .unknownAttribute: "unknown"
        case .textNotUTF8: "text"
        case .nameIsPath: "path"
        case .malformedHardware: "hardware"
        case .malformedEncoding: "encoding"
        case .malformedSeal: "seal"
        }
    }
}
