import BLEOTADevice
import BLEOTAManifest

/// Manifests, as a receiver reads them, and what receivers of several kinds answer.
enum ManifestVector {
    static func read(_ input: inout VectorInput, _ reading: inout Reading) {
        let manifest = input.counted()
        let image = RepeatedImage(
            byteCount: Int(input.uint32()),
            repeated: input.counted()
        )
        do throws(ManifestError) {
            let fields = try ManifestFields(parsing: manifest.bytes)
            say(fields, manifest.bytes, &reading)
            sayHashes(fields, manifest.bytes, image, &reading)
            sayPolicies(fields, manifest.bytes, &reading)
            note(fields, manifest.bytes, &reading)
        } catch {
            say(error, &reading)
        }
    }

    /// A manifest that is zeros but for its beginning.
    static func byteCount(_ input: inout VectorInput, _ reading: inout Reading) {
        let byteCount = Int(input.uint32())
        let head = input.remainder()
        let room = Machine.room
        precondition(byteCount <= room.count, "there is no room for the manifest")
        room.copyMemory(from: head)
        defer { for index in head.indices { room[index] = 0 } }
        let manifest = UnsafeRawBufferPointer(rebasing: room[..<byteCount])
        do throws(ManifestError) {
            let fields = try ManifestFields(parsing: manifest.bytes)
            reading.say("manifestByteCount")
            reading.field("blockCount", fields.blockCount)
        } catch {
            say(error, &reading)
        }
    }

    private static func say(
        _ fields: ManifestFields,
        _ manifest: RawSpan,
        _ reading: inout Reading
    ) {
        reading.say("manifest")
        reading.field("k", fields.blockSizeExponent)
        reading.field("imageByteCount", fields.imageByteCount)
        reading.field("byteCount", fields.byteCount)
        reading.field("sha256", manifest.extracting(fields.sha256))
        var attributes = fields.attributeCursor
        while let attribute = attributes.next(in: manifest) {
            reading.field("attribute", attribute.type.rawValue)
            reading.field("value", manifest.extracting(attribute.value))
        }
        reading.say(" found")
        for type in UInt8.min...UInt8.max {
            let wanted = ManifestAttributeType(rawValue: type)
            guard let value = fields.value(of: wanted, in: manifest) else { continue }
            reading.field("attribute", type)
            reading.field("value", manifest.extracting(value))
        }
        for index in 0..<fields.blockCount {
            reading.field("block", manifest.extracting(fields.hash(ofBlock: index)))
        }
        if let sketch = fields.sketch(in: manifest) {
            for index in 0..<sketch.count {
                reading.field("sketched", sketch.blockIndex(ofHash: index))
            }
        }
        var signatures = fields.signatureCursor
        while let signature = signatures.next(in: manifest) {
            reading.field("algorithm", signature.algorithm.rawValue)
            reading.field("keyID", littleEndian: signature.keyID.rawValue)
            reading.field("value", manifest.extracting(signature.value))
        }
    }

    private static func sayHashes(
        _ fields: ManifestFields,
        _ manifest: RawSpan,
        _ image: RepeatedImage,
        _ reading: inout Reading
    ) {
        reading.say(" hashes")
        let tag = SHA256.hash(manifest)
        reading.field("transferTag", tag.span.bytes.extracting(first: 8))
        let whole = image.hash(of: 0..<image.byteCount)
        reading.field("image", whole.span.bytes)
        var start = 0
        for index in 0..<fields.blockCount {
            let end = start + fields.byteCount(ofBlock: index)
            let digest = image.hash(of: start..<end)
            reading.field("block", digest.span.bytes.extracting(first: 16))
            start = end
        }
        // What RESULT says is of the image that it becomes.
        if let encoding = fields.encoding(in: manifest) {
            let decoded = manifest.extracting(encoding.imageSHA256)
            reading.field("verifiedDetail", hex: decoded.littleEndianNumber)
        } else {
            reading.field("verifiedDetail", hex: whole.span.bytes.littleEndianNumber)
        }
    }

    private static func sayPolicies(
        _ fields: ManifestFields,
        _ manifest: RawSpan,
        _ reading: inout Reading
    ) {
        reading.say(" policies")
        reading.refusal("bare", fields.refusal(in: manifest, by: DeviceModel.bare))
        reading.refusal("strict", fields.refusal(in: manifest, by: DeviceModel.strict))
        reading.refusal("choosy", fields.refusal(in: manifest, by: DeviceModel.choosy))
        reading.refusal("deceived", fields.refusal(in: manifest, by: DeviceModel.deceived))
    }

    /// Notes what no vector states: where things are.
    private static func note(
        _ fields: ManifestFields,
        _ manifest: RawSpan,
        _ reading: inout Reading
    ) {
        reading.note(fields.signedBytes.upperBound)
        reading.note(fields.signatures.lowerBound)
        if let base = fields.base(in: manifest) { reading.note(base.lowerBound) }
        if let seal = fields.seal(in: manifest) {
            for index in 0..<seal.recipientCount {
                reading.note(Int(seal.keyID(ofRecipient: index, in: manifest).rawValue >> 33))
                reading.note(seal.contentKey(ofRecipient: index).lowerBound)
            }
        }
    }

    private static func say(_ error: ManifestError, _ reading: inout Reading) {
        reading.note(error.byteOffset)
        reading.say("refused")
        reading.field("reason", reason(for: error))
    }

    private static func reason(for error: ManifestError) -> StaticString {
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
