public import BLEOTAManifest
public import BLEOTAWire

/// The description of an image; it is sent before the image itself. It states the image's
/// length, hashes, name, version and target devices, and carries signatures (spec/bleota.md,
/// section 4.2).
///
/// A value of this type conforms to every rule of section 4.2, but its signatures may be
/// invalid. It takes 16 bytes for each block of the image, and at most 8,242 more.
public struct Manifest: Hashable, Sendable {
    /// The bytes of the manifest as they are sent.
    public let bytes: [UInt8]
    /// The parsed fields of the manifest.
    package let fields: ManifestFields
    /// The tag of the transfer: the first 8 bytes of the SHA-256 of ``bytes``.
    public let tag: TransferTag

    /// Parses a manifest and checks every rule. Hashes the bytes once.
    ///
    /// - Throws: a `ManifestError` that states which rule the bytes violate.
    public init(bytes: [UInt8]) throws(ManifestError) {
        fields = try ManifestFields(parsing: bytes.span.bytes)
        tag = TransferTag(hashing: bytes)
        self.bytes = bytes
    }

    /// The length of the image as it is sent, 1 to 4,294,967,295 bytes.
    public var imageByteCount: Int { Int(fields.imageByteCount) }

    /// The encoding of the image; `nil` if the image is sent unencoded.
    package var encoding: ManifestEncoding? { fields.encoding(in: bytes.span.bytes) }

    /// The length of the decoded image, 1 to 4,294,967,295 bytes.
    public var decodedByteCount: Int { Int(encoding?.imageByteCount ?? fields.imageByteCount) }

    /// The length to which limits apply: the length of the image as sent or as decoded, whichever
    /// is greater.
    var largestByteCount: Int { max(imageByteCount, decodedByteCount) }

    /// The SHA-256 of the decoded image, 32 bytes.
    public var decodedSHA256: [UInt8] { Array(bytes[encoding?.imageSHA256 ?? fields.sha256]) }

    /// The SHA-256 of the base, if the image is a patch. The base must be the current image.
    package var baseSHA256: [UInt8]? { fields.base(in: bytes.span.bytes).map { Array(bytes[$0]) } }

    /// The length of each block except the last, 256 to 65,536 bytes.
    public var blockByteCount: Int { fields.blockByteCount }

    /// The number of blocks of the image as it is sent, at least 1.
    public var blockCount: Int { fields.blockCount }

    /// The SHA-256 of the image as it is sent, 32 bytes.
    public var sha256: [UInt8] { Array(bytes[fields.sha256]) }

    /// The first 16 bytes of the SHA-256 of block `index`.
    package func blockHash(_ index: Int) -> [UInt8] { Array(bytes[fields.hash(ofBlock: index)]) }

    /// All hashes in the manifest.
    var hashes: ImageHashes {
        let blocks = fields.attributes.upperBound..<fields.signedBytes.upperBound
        return ImageHashes(image: sha256, blocks: Array(bytes[blocks]))
    }

    /// Whether `block` matches the hash of block `index`.
    public func matches(_ block: RawSpan, blockIndex index: Int) -> Bool {
        let expected = fields.hash(ofBlock: index)
        return block.withUnsafeBytes { block in
            SHA256.withDigest(of: block) { digest in
                digest.prefix(expected.count).elementsEqual(bytes[expected])
            }
        }
    }

    /// The file name of the image, if stated. It comes from the peer, so check it before using
    /// it as a path.
    public var name: String? { text(.name) }

    /// The version of the firmware in the vendor's notation, if stated.
    public var version: String? { text(.version) }

    /// The address of the image's first byte in the device's memory, if stated.
    public var loadAddress: UInt64? {
        guard let range = fields.value(of: .loadAddress, in: bytes.span.bytes) else { return nil }
        return bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func text(_ type: ManifestAttributeType) -> String? {
        guard let range = fields.value(of: type, in: bytes.span.bytes) else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }
}

extension Manifest: CustomStringConvertible {
    /// One short line, such as `lamp.bin, 262144 bytes, version 2.1.0`.
    public var description: String {
        let version = version.map { ", version \($0)" } ?? ""
        return "\(name ?? "an image"), \(decodedByteCount) bytes\(version)"
    }
}
