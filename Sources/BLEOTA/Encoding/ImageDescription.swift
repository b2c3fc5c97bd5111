import BLEOTACore

/// The data that the manifests of all variants of an image have in common.
struct ImageDescription {
    /// With blocks of this size, the largest image, 4 GiB, has a manifest of 16 MiB: half of
    /// the limit.
    static let blockByteCount = 4_096

    let image: FirmwareFile
    private let version: String?
    private let restrictions: ImageRestrictions

    init(_ image: FirmwareFile, version: String?, restrictions: ImageRestrictions) {
        self.image = image
        self.version = version
        self.restrictions = restrictions
    }

    /// - Parameters:
    ///   - encoding: the encoding of `content`; `nil` if it is the unencoded image.
    ///   - content: the image as it is sent.
    func variant(
        as encoding: EncodingStatement?,
        _ content: ByteSource
    ) throws(FirmwareError) -> ImageVariant {
        let manifest = try Manifest.make(
            imageByteCount: content.byteCount,
            blockByteCount: Self.blockByteCount,
            name: name,
            version: version,
            loadAddress: image.loadAddress,
            restrictions: restrictions,
            encoding: encoding
        ) { (offset, byteCount) throws(FirmwareError) in
            try content.read(at: offset, byteCount: byteCount)
        }
        return ImageVariant(manifest, content)
    }

    /// The name, if a manifest may contain it. A name that the caller chose may be invalid.
    private var name: String? {
        let name = image.name
        let isPath =
            ["", ".", ".."].contains(name) || name.utf8.contains { [0, 0x2F].contains($0) }
        return isPath ? nil : name
    }
}
