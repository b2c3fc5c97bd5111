public import BLEOTACore

/// An image together with its manifest: all that a sender needs, computed once for any number of
/// transfers.
public struct PreparedImage: Sendable {
    /// The image.
    public let image: FirmwareImage
    /// What is sent before it.
    public let manifest: Manifest

    /// Hashes the image, which reads it once in pieces of 64 KiB.
    ///
    /// - Throws: an ``ImageError`` when it can't be read or has changed.
    public init(_ image: FirmwareImage) throws(ImageError) {
        self.image = image
        manifest = try Manifest.make(
            imageByteCount: image.byteCount,
            blockByteCount: Self.blockByteCount,
            name: Self.name(of: image),
            version: image.version,
            loadAddress: image.loadAddress
        ) { (offset, byteCount) throws(ImageError) in
            try image.read(at: offset, byteCount: byteCount)
        }
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
