import BLEOTACore

/// What the manifests of all forms of an image have in common.
struct ImageDescription {
    /// The largest image, of 4 GiB, has a manifest of 16 MiB with these: half of what is allowed.
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
    ///   - encoding: `nil` where the content is the image as it is.
    ///   - content: what travels.
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

    /// The name, if it may stand in a manifest: one that the caller made up might not.
    private var name: String? {
        let name = image.name
        let isPath =
            ["", ".", ".."].contains(name) || name.utf8.contains { [0, 0x2F].contains($0) }
        return isPath ? nil : name
    }
}
