public import BLEOTAManifest
public import BLEOTAWire

/// The statement about an image that travels before it: length, hashes, name, version, for which
/// devices it is, and who signed all that (spec/bleota.md, section 4.2).
///
/// A value of this type keeps every rule of the specification; whether a signature is right is
/// another question. It holds the bytes as they were sent: 16 bytes for each
/// block of the image and at most 8,242 more.
public struct Manifest: Hashable, Sendable {
    /// The manifest as it travels.
    public let bytes: [UInt8]
    /// The numbers in it.
    package let fields: ManifestFields
    /// The name of the transfer: the first 8 bytes of the SHA-256 of ``bytes``.
    public let tag: TransferTag

    /// Reads a manifest and checks every rule. Hashes it once.
    ///
    /// - Throws: what is wrong with it, which is its sender's fault.
    public init(bytes: [UInt8]) throws(ManifestError) {
        fields = try ManifestFields(parsing: bytes.span.bytes)
        tag = TransferTag(hashing: bytes)
        self.bytes = bytes
    }

    /// The length of the image as it travels, 1 to 4,294,967,295 bytes.
    public var imageByteCount: Int { Int(fields.imageByteCount) }

    /// What the image becomes that travels; `nil` where it travels as it is.
    package var encoding: ManifestEncoding? { fields.encoding(in: bytes.span.bytes) }

    /// The length of the image as it is used, 1 to 4,294,967,295 bytes.
    public var decodedByteCount: Int { Int(encoding?.imageByteCount ?? fields.imageByteCount) }

    /// What a limit is held against: the length as it travels or as it becomes, whichever is more.
    var largestByteCount: Int { max(imageByteCount, decodedByteCount) }

    /// The SHA-256 of the image as it is used, 32 bytes.
    public var decodedSHA256: [UInt8] { Array(bytes[encoding?.imageSHA256 ?? fields.sha256]) }

    /// The SHA-256 of the image that has to be current, where this is a patch against it.
    package var baseSHA256: [UInt8]? { fields.base(in: bytes.span.bytes).map { Array(bytes[$0]) } }

    /// The length of all blocks but the last, 256 to 65,536 bytes.
    public var blockByteCount: Int { fields.blockByteCount }

    /// How many blocks the image has as it travels, at least 1.
    public var blockCount: Int { fields.blockCount }

    /// The SHA-256 of the image as it travels, 32 bytes.
    public var sha256: [UInt8] { Array(bytes[fields.sha256]) }

    /// The first 16 bytes of the SHA-256 of block `index`.
    package func blockHash(_ index: Int) -> [UInt8] { Array(bytes[fields.hash(ofBlock: index)]) }

    /// All hashes.
    var hashes: ImageHashes {
        let blocks = fields.attributes.upperBound..<fields.signedBytes.upperBound
        return ImageHashes(image: sha256, blocks: Array(bytes[blocks]))
    }

    /// Whether `block` has the hash of block `index`.
    public func matches(_ block: RawSpan, blockIndex index: Int) -> Bool {
        let expected = fields.hash(ofBlock: index)
        return block.withUnsafeBytes { block in
            SHA256.withDigest(of: block) { digest in
                digest.prefix(expected.count).elementsEqual(bytes[expected])
            }
        }
    }

    /// The file name of the image, if it is stated. Never use it as a path unseen.
    public var name: String? { text(.name) }

    /// The version as the maker of the firmware writes it, if it is stated.
    public var version: String? { text(.version) }

    /// Where the first byte belongs in the device's memory, if it is stated.
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
    /// One short line: `lamp.bin, 262,144 bytes, version 2.1.0`.
    public var description: String {
        let version = version.map { ", version \($0)" } ?? ""
        return "\(name ?? "an image"), \(decodedByteCount) bytes\(version)"
    }
}
