public import BLEOTACore

/// An image together with its manifest: all that a sender needs, computed once for any number of
/// transfers.
public struct PreparedImage: Sendable {
    /// The image.
    public let image: FirmwareImage
    /// What is sent before it.
    public let manifest: Manifest

    /// Hashes the image, which reads it once in pieces of 64 KiB. A bundle has its manifest; for
    /// everything else one is made.
    ///
    /// - Throws: an ``ImageError`` when it can't be read or has changed, or is a bundle whose image
    ///   is not the one of its manifest.
    public init(_ image: FirmwareImage) throws(ImageError) {
        if let manifest = image.manifest {
            try self.init(image, checking: manifest)
        } else {
            try self.init(image, version: nil, restrictions: ImageRestrictions())
        }
    }

    /// Describes an image anew, also one that has a manifest already.
    ///
    /// - Parameters:
    ///   - version: 1 to 64 bytes in UTF-8; `nil` for the one that the image states itself.
    ///   - restrictions: which devices may install it.
    ///   - keys: who signs it, each with its own signature.
    public init(
        _ image: FirmwareImage,
        version: String?,
        restrictions: ImageRestrictions,
        signedBy keys: [SigningKey] = []
    ) throws(ImageError) {
        self.image = image
        let manifest = try Manifest.make(
            imageByteCount: image.byteCount,
            blockByteCount: Self.blockByteCount,
            name: Self.name(of: image),
            version: version ?? image.version,
            loadAddress: image.loadAddress,
            restrictions: restrictions
        ) { (offset, byteCount) throws(ImageError) in
            try image.read(at: offset, byteCount: byteCount)
        }
        self.manifest = try Self.signing(manifest, of: image, with: keys)
    }

    private init(_ image: FirmwareImage, checking manifest: Manifest) throws(ImageError) {
        let hashes = try ImageHashes(image.byteCount, manifest.blockByteCount) {
            (offset, byteCount) throws(ImageError) in
            try image.read(at: offset, byteCount: byteCount)
        }
        guard hashes == manifest.hashes else {
            throw ImageBundle.malformed(
                image.name,
                "its image does not have the hashes in its manifest"
            )
        }
        self.image = image
        self.manifest = manifest
    }

    private init(_ image: FirmwareImage, _ manifest: Manifest) {
        self.image = image
        self.manifest = manifest
    }

    /// The same with more signatures.
    ///
    /// - Throws: an ``ImageError`` with the code `malformedBundle` where those of others leave no
    ///   room.
    public func signed(by keys: [SigningKey]) throws(ImageError) -> PreparedImage {
        PreparedImage(image, try Self.signing(manifest, of: image, with: keys))
    }

    private static func signing(
        _ manifest: Manifest,
        of image: FirmwareImage,
        with keys: [SigningKey]
    ) throws(ImageError) -> Manifest {
        var signed = manifest
        do throws(ManifestError) {
            for key in keys { signed = try signed.signed(by: key) }
        } catch {
            throw ImageBundle.malformed(
                image.name,
                "there is no room for one more signature (\(error))"
            )
        }
        return signed
    }

    /// The name, if it may stand in a manifest: one that the caller made up might not.
    private static func name(of image: FirmwareImage) -> String? {
        let name = image.name
        let isPath =
            ["", ".", ".."].contains(name) || name.utf8.contains { [0, 0x2F].contains($0) }
        return isPath ? nil : name
    }

    /// The largest image, of 4 GiB, has a manifest of 16 MiB with these: half of what is allowed.
    private static let blockByteCount = 4_096

    /// The numbers the protocol needs of it.
    public var offer: Offer {
        Offer(
            tag: manifest.tag,
            manifestByteCount: UInt32(manifest.bytes.count),
            imageByteCount: UInt32(manifest.imageByteCount),
            receipt: manifest.receipt
        )
    }
}

extension Manifest {
    /// The first 8 bytes of the image's SHA-256 as a little-endian number, as RESULT carries them.
    var receipt: UInt64 {
        sha256.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
