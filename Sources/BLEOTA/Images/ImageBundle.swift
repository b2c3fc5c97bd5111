import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// A bundle: one file with an image in one or more variants and their manifests
/// (spec/bundle.md).
struct ImageBundle {
    /// The offsets and sizes of the fields of a bundle.
    private enum Layout {
        /// "BLB1".
        static let magic: [UInt8] = [0x42, 0x4C, 0x42, 0x31]
        /// The number of variants, u16.
        static let variantCount = 4..<6
        /// Reserved, u16.
        static let reserved = 6..<8
        /// The offset of the first variant.
        static let forms = 8
        /// The size of the field with the manifest's length, u32, at the start of a variant.
        static let manifestByteCount = 4
        static let formCountMax = 8
    }

    /// The variants, at least one, in the order in which they are offered.
    let variants: [ImageVariant]

    /// Reads a bundle; `nil` if the content does not begin like one. The images are not hashed
    /// here, so an image may still differ from its manifest.
    init?(reading content: ByteSource, fileName: String) throws(FirmwareError) {
        let head = try content.read(at: 0, byteCount: min(Layout.forms, content.byteCount))
        guard Self.begins(head) else { return nil }
        guard head.count == Layout.forms else {
            throw Self.malformed(fileName, "it ends within its first 8 bytes")
        }
        let variantCount = Self.number(head[Layout.variantCount])
        guard head[Layout.reserved].allSatisfy({ $0 == 0 }), variantCount <= Layout.formCountMax
        else {
            throw Self.malformed(fileName, "it was made by a later release, so update bleota")
        }
        var variants: [ImageVariant] = []
        var offset = Layout.forms
        for _ in 0..<variantCount {
            let variant = try Self.variant(at: &offset, in: content, fileName)
            //= BUNDLE-3: All forms MUST be of the same image. The byte count and the SHA-256 of the
            //= image are those in the attribute *encoding*, or those of object 1 if the form is
            //= unencoded. All forms MUST have the same attributes, except encoding, base, seal and
            //= sketch.
            guard variants.first.map({ variant.manifest.isOfSameImage(as: $0.manifest) }) ?? true
            else {
                throw Self.malformed(
                    fileName,
                    "its forms are not of the same image, or describe it differently"
                )
            }
            variants.append(variant)
        }
        //= BUNDLE-1: A bundle MUST end with the last byte of its last form.
        guard !variants.isEmpty, offset == content.byteCount else {
            throw Self.malformed(fileName, "it does not end with its last form")
        }
        self.variants = variants
    }

    private static func variant(
        at offset: inout Int,
        in content: ByteSource,
        _ fileName: String
    ) throws(FirmwareError) -> ImageVariant {
        let left = content.byteCount - offset
        guard left >= Layout.manifestByteCount else {
            throw malformed(fileName, "it ends before its last form")
        }
        let head = try content.read(at: offset, byteCount: Layout.manifestByteCount)
        let manifestByteCount = number(head[...])
        let start = offset + Layout.manifestByteCount
        guard manifestByteCount <= ManifestLayout.byteCountMax,
            manifestByteCount <= content.byteCount - start
        else { throw malformed(fileName, "it ends within a manifest") }
        let bytes = try content.read(at: start, byteCount: manifestByteCount)
        //= BUNDLE-2: A reader MUST refuse a bundle if one of its manifests breaks a rule of section
        //= 4.2.
        let manifest: Manifest
        do throws(ManifestError) {
            manifest = try Manifest(bytes: bytes)
        } catch {
            throw malformed(
                fileName,
                "a manifest is not valid at byte \(error.byteOffset) (\(error.words))"
            )
        }
        let image = start + manifestByteCount
        guard manifest.imageByteCount <= content.byteCount - image else {
            throw malformed(
                fileName,
                "it ends after \(content.byteCount - image) of the "
                    + "\(manifest.imageByteCount) bytes of an image"
            )
        }
        offset = image + manifest.imageByteCount
        return ImageVariant(manifest, .part(of: content, image..<offset))
    }

    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Layout.magic) }

    /// The offset of the first manifest.
    static let firstManifestOffset = Layout.forms + Layout.manifestByteCount

    /// The length of the first manifest; `nil` unless `head` ends just before that manifest.
    static func firstManifestByteCount(in head: [UInt8]) -> Int? {
        head.count == firstManifestOffset ? number(head[Layout.forms...]) : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The header of the bundle, before the first variant.
    static func head(variantCount: Int) -> [UInt8] {
        precondition((1...Layout.formCountMax).contains(variantCount))
        return Layout.magic + UInt16(variantCount).littleEndianBytes + [0, 0]
    }

    /// The header of a variant, before its image.
    static func head(of variant: ImageVariant) -> [UInt8] {
        UInt32(variant.manifest.bytes.count).littleEndianBytes + variant.manifest.bytes
    }

    static func malformed(_ fileName: String, _ fault: String) -> FirmwareError {
        FirmwareError(
            .malformedBundle,
            fileName: fileName,
            "\(fileName) is an unusable bundle: \(fault); get it again from its maker."
        )
    }
}

extension Manifest {
    /// Whether this manifest makes the same statements as the other, except about how the image is
    /// sent.
    /// After inspecting one variant of a bundle, a signer can therefore sign all of them.
    fileprivate func isOfSameImage(as other: Manifest) -> Bool {
        decodedByteCount == other.decodedByteCount && decodedSHA256 == other.decodedSHA256
            && statements == other.statements
    }

    /// All attributes, with their types and lengths, except those about how the image is sent.
    private var statements: [ArraySlice<UInt8>] {
        var statements: [ArraySlice<UInt8>] = []
        var cursor = fields.attributeCursor
        // Parsing can't fail here, because the manifest has been parsed before.
        while let attribute = cursor.next(in: bytes.span.bytes) {
            if [.encoding, .base, .seal, .sketch].contains(attribute.type) { continue }
            statements.append(bytes[attribute.byteOffset..<attribute.value.upperBound])
        }
        return statements
    }
}
