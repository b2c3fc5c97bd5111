import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// The manifest parser on arbitrary bytes.
enum ManifestRun {
    /// Bytes with those fields put right that nothing behind them can be reached without.
    static func mended(_ input: inout FuzzInput) -> [UInt8] {
        let mending = input.byte()
        var bytes = input.rest()
        guard bytes.count >= ManifestLayout.byteCountMin else { return bytes }
        func put(_ number: UInt32, at offset: Int, byteCount: Int) {
            for byte in 0..<byteCount {
                bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> UInt32(8 * byte))
            }
        }
        put(ManifestLayout.magicNumber, at: 0, byteCount: 4)
        put(1, at: ManifestLayout.formatVersion, byteCount: 1)
        put(0, at: ManifestLayout.reservedBeforeImageByteCount, byteCount: 2)
        put(0, at: ManifestLayout.reservedBeforeSHA256, byteCount: 2)
        let exponent = 8 + UInt32(mending >> 4) % 9
        put(exponent, at: ManifestLayout.blockSizeExponent, byteCount: 1)
        if mending & 1 != 0 {
            // As many blocks as there is room for, and the rest is attributes.
            let room = bytes.count - ManifestLayout.byteCountMin
            let blockCount = 1 + (mending & 2 != 0 ? 0 : room / 16)
            put(
                UInt32(room - 16 * (blockCount - 1)),
                at: ManifestLayout.attributeByteCount,
                byteCount: 2
            )
            put(
                UInt32(blockCount) << exponent - UInt32(mending >> 2 & 3),
                at: ManifestLayout.imageByteCount,
                byteCount: 4
            )
            put(0, at: bytes.count - 2, byteCount: 2)
        }
        return bytes
    }

    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        let manifest = bytes.span.bytes
        let fields: ManifestFields
        do throws(ManifestError) {
            fields = try ManifestFields(parsing: manifest)
        } catch {
            try require(
                (0...bytes.count).contains(error.byteOffset),
                "\(error) is outside the manifest"
            )
            return
        }
        try require(fields.byteCount == bytes.count, "a manifest of another length")
        try checkBlocks(of: fields)
        try checkAttributes(of: fields, in: bytes)
        try checkSignatures(of: fields, in: bytes)
        // Whatever it says can be asked about.
        let everything = Undecided()
        _ = fields.refusal(in: manifest, by: everything)
    }

    /// Trusts everybody, and finds every signature wrong.
    private struct Undecided: AcceptanceRules {
        var takesUnsigned: Bool { true }

        func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool { true }
    }

    private static func checkBlocks(of fields: ManifestFields) throws(BrokenProperty) {
        let last = fields.blockCount - 1
        let byteCount = last * fields.blockByteCount + fields.byteCount(ofBlock: last)
        try require(byteCount == Int(fields.imageByteCount), "the blocks are not the image")
        try require(
            (1...fields.blockByteCount).contains(fields.byteCount(ofBlock: last)),
            "a last block of \(fields.byteCount(ofBlock: last)) bytes"
        )
        try require(
            fields.hash(ofBlock: 0).lowerBound == fields.attributes.upperBound
                && fields.hash(ofBlock: last).upperBound == fields.signedBytes.upperBound
                && fields.signedBytes.upperBound + 2 == fields.signatures.lowerBound
                && fields.signatures.upperBound == fields.byteCount,
            "the hashes of the blocks stand elsewhere"
        )
    }

    private static func checkSignatures(
        of fields: ManifestFields,
        in bytes: [UInt8]
    ) throws(BrokenProperty) {
        var cursor = fields.signatureCursor
        var end = fields.signatures.lowerBound
        while let signature = cursor.next(in: bytes.span.bytes) {
            try require(signature.value.lowerBound == end + 12, "a gap before a signature")
            end = signature.value.upperBound
        }
        try require(end == fields.signatures.upperBound, "signatures that are not read")
    }

    private static func checkAttributes(
        of fields: ManifestFields,
        in bytes: [UInt8]
    ) throws(BrokenProperty) {
        let manifest = bytes.span.bytes
        var cursor = fields.attributeCursor
        var end = fields.attributes.lowerBound
        var lastType = -1
        while let attribute = cursor.next(in: manifest) {
            try require(attribute.byteOffset == end, "a gap before an attribute")
            try require(Int(attribute.type.rawValue) > lastType, "attributes out of order")
            try require(
                fields.value(of: attribute.type, in: manifest) == attribute.value,
                "another value of \(attribute.type)"
            )
            if let text = attribute.text {
                try require(
                    String(validating: bytes[text], as: UTF8.self) != nil,
                    "a text that is not UTF-8"
                )
            }
            lastType = Int(attribute.type.rawValue)
            end = attribute.value.upperBound
        }
        try require(end == fields.attributes.upperBound, "attributes that are not read")
    }
}
