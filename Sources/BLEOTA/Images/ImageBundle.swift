import BLEOTACore

/// An image with its manifest, in one file (spec/bundle.md).
struct ImageBundle {
    /// Where the fields of a bundle stand.
    private enum Layout {
        /// "BLB1".
        static let magic: [UInt8] = [0x42, 0x4C, 0x42, 0x31]
        /// Reserved, u32.
        static let reserved = 4..<8
        /// The length of the manifest, u32.
        static let manifestByteCount = 8..<12
        /// The manifest, and then the image to the end of the file.
        static let manifest = 12
    }

    let manifest: Manifest
    let image: ImageContent

    /// Reads a bundle; `nil` where the content does not begin as one. That the image is the one of
    /// the manifest is seen only by hashing it.
    init?(reading content: ImageContent, fileName: String) throws(ImageError) {
        let head = try content.read(at: 0, byteCount: min(Layout.manifest, content.byteCount))
        guard head.starts(with: Layout.magic) else { return nil }
        guard head.count == Layout.manifest else {
            throw Self.malformed(fileName, "it ends within its first 12 bytes")
        }
        guard head[Layout.reserved].allSatisfy({ $0 == 0 }) else {
            throw Self.malformed(fileName, "it is made by a later release; update this one")
        }
        let manifestByteCount = head[Layout.manifestByteCount].reversed().reduce(0) {
            $0 << 8 | Int($1)
        }
        let manifestEnd = Layout.manifest + manifestByteCount
        guard manifestByteCount <= ManifestLayout.byteCountMax, manifestEnd <= content.byteCount
        else { throw Self.malformed(fileName, "it ends within its manifest") }
        let bytes = try content.read(at: Layout.manifest, byteCount: manifestByteCount)
        do throws(ManifestError) {
            manifest = try Manifest(bytes: bytes)
        } catch {
            throw Self.malformed(
                fileName,
                "its manifest is wrong at byte \(error.byteOffset) (\(error))"
            )
        }
        image = .part(of: content, manifestEnd..<content.byteCount)
        guard image.byteCount == manifest.imageByteCount else {
            throw Self.malformed(
                fileName,
                "its image has \(image.byteCount) bytes, and its manifest says "
                    + "\(manifest.imageByteCount)"
            )
        }
    }

    /// What stands before the image.
    static func head(of manifest: Manifest) -> [UInt8] {
        Layout.magic + UInt32(0).littleEndianBytes
            + UInt32(manifest.bytes.count).littleEndianBytes + manifest.bytes
    }

    static func malformed(_ fileName: String, _ fault: String) -> ImageError {
        ImageError(
            .malformedBundle,
            fileName: fileName,
            "\(fileName) is a bundle that can't be used: \(fault); get it again from its maker."
        )
    }
}
