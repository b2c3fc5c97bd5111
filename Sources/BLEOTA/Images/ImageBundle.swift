import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// An image with its manifests, in one file (spec/bundle.md).
struct ImageBundle {
    /// Where the fields of a bundle stand.
    private enum Layout {
        /// "BLB1".
        static let magic: [UInt8] = [0x42, 0x4C, 0x42, 0x31]
        /// How many forms follow, u16.
        static let variantCount = 4..<6
        /// Reserved, u16.
        static let reserved = 6..<8
        /// The first form.
        static let forms = 8
        /// What a form begins with: the length of its manifest, u32.
        static let manifestByteCount = 4
        static let formCountMax = 8
    }

    /// At least one, the one to offer first at the beginning.
    let variants: [ImageVariant]

    /// Reads a bundle; `nil` where the content does not begin as one. That an image is the one of
    /// its manifest is seen only by hashing it.
    init?(reading content: ByteSource, fileName: String) throws(FirmwareError) {
        let head = try content.read(at: 0, byteCount: min(Layout.forms, content.byteCount))
        guard Self.begins(head) else { return nil }
        guard head.count == Layout.forms else {
            throw Self.malformed(fileName, "it ends within its first 8 bytes")
        }
        let variantCount = Self.number(head[Layout.variantCount])
        guard head[Layout.reserved].allSatisfy({ $0 == 0 }), variantCount <= Layout.formCountMax
        else {
            throw Self.malformed(fileName, "it is made by a later release; update this one")
        }
        var variants: [ImageVariant] = []
        var offset = Layout.forms
        for _ in 0..<variantCount {
            let variant = try Self.variant(at: &offset, in: content, fileName)
            //= BUNDLE-3: All forms MUST be of the same image: one byte count and one SHA-256, which
            //= are those in the encoding where there is one; and MUST have the same attributes but
            //= for encoding, base, seal and sketch.
            guard variants.first.map({ variant.manifest.isOfSameImage(as: $0.manifest) }) ?? true
            else {
                throw Self.malformed(
                    fileName,
                    "its forms are not of one image, or say different things of it"
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
        //= BUNDLE-2: A reader MUST refuse a bundle of which a manifest breaks a rule of section
        //= 4.2,
        let manifest: Manifest
        do throws(ManifestError) {
            manifest = try Manifest(bytes: bytes)
        } catch {
            throw malformed(
                fileName,
                "a manifest is wrong at byte \(error.byteOffset) (\(error.words))"
            )
        }
        let image = start + manifestByteCount
        guard manifest.imageByteCount <= content.byteCount - image else {
            throw malformed(
                fileName,
                "\(content.byteCount - image) bytes follow its manifest, which says that its image "
                    + "has \(manifest.imageByteCount)"
            )
        }
        offset = image + manifest.imageByteCount
        return ImageVariant(manifest, .part(of: content, image..<offset))
    }

    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Layout.magic) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// What stands before the first form.
    static func head(variantCount: Int) -> [UInt8] {
        precondition((1...Layout.formCountMax).contains(variantCount))
        return Layout.magic + UInt16(variantCount).littleEndianBytes + [0, 0]
    }

    /// What stands before the image of a form.
    static func head(of variant: ImageVariant) -> [UInt8] {
        UInt32(variant.manifest.bytes.count).littleEndianBytes + variant.manifest.bytes
    }

    static func malformed(_ fileName: String, _ fault: String) -> FirmwareError {
        FirmwareError(
            .malformedBundle,
            fileName: fileName,
            "\(fileName) is a bundle that can't be used: \(fault); get it again from its maker."
        )
    }
}

extension Manifest {
    /// Whether it says the same but for how the image travels: who looks at one form of a bundle
    /// and signs it, signs all.
    fileprivate func isOfSameImage(as other: Manifest) -> Bool {
        decodedByteCount == other.decodedByteCount && decodedSHA256 == other.decodedSHA256
            && statements == other.statements
    }

    /// All attributes, with their types and lengths, but those about how the image travels.
    private var statements: [ArraySlice<UInt8>] {
        var statements: [ArraySlice<UInt8>] = []
        var cursor = fields.attributeCursor
        // A manifest of this type was read without a fault before.
        while let attribute = cursor.next(in: bytes.span.bytes) {
            if [.encoding, .base, .seal, .sketch].contains(attribute.type) { continue }
            statements.append(bytes[attribute.byteOffset..<attribute.value.upperBound])
        }
        return statements
    }
}
