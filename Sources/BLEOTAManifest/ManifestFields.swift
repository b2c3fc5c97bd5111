import BLEOTAWire

/// The contents of a valid manifest, as numbers and byte ranges (spec/bleota.md, section 4.2).
///
/// ```swift
/// let fields = try ManifestFields(parsing: manifest)
/// for block in 0..<fields.blockCount {
///     let hash = manifest.extracting(fields.hash(ofBlock: block))
/// }
/// ```
///
/// The image's length is a `UInt32`, because it may exceed an `Int` of 32 bits. All other
/// numbers are bounded by the maximum length of a manifest, 32 MiB.
public struct ManifestFields: Hashable, Sendable, BitwiseCopyable {
    /// The length of the transferred image, 1 to 4,294,967,295 bytes. For an encoded image,
    /// ``encoding(in:)`` contains the length of the decoded image.
    public private(set) var imageByteCount: UInt32 = 0
    /// The length of all attributes, 0 to 4,096 bytes.
    public private(set) var attributeByteCount = 0
    /// The length of all signatures, 0 to 4,096 bytes.
    public private(set) var signatureByteCount = 0
    /// The length of the signed part: everything before the signatures and their length.
    private var signedByteCount = 0
    private var exponent: UInt32 = 0

    /// Creates fields that are all zero and describe no manifest.
    init() {}

    /// Parses a manifest and checks every rule.
    ///
    /// - Parameter manifest: the whole manifest and nothing else.
    /// - Throws: the first violation, in the order of spec/vectors/README.md.
    public init(parsing manifest: RawSpan) throws(ManifestError) {
        var reading = ManifestReading()
        try reading.read(manifest)
        self = reading.fields
        var cursor = signatureCursor
        while try cursor.checkedNext(in: manifest) != nil {}
    }

    /// Reads the fields that do not depend on attributes or signatures.
    @inline(__always)
    mutating func readNumbers(of manifest: RawSpan) throws(ManifestError) {
        try Self.checkHeader(of: manifest)
        imageByteCount = manifest.uint32(at: ManifestLayout.imageByteCount)
        exponent = UInt32(manifest.byte(at: ManifestLayout.blockSizeExponent))
        attributeByteCount = Int(manifest.uint16(at: ManifestLayout.attributeByteCount))
        // An image has at least one byte and at most 2^24 blocks, so nothing here overflows.
        signedByteCount =
            attributes.upperBound &+ blockCount &* ManifestLayout.blockHashByteCount

        //= MAN-1: A manifest MUST be exactly as long as its fields say.
        let restByteCount = manifest.byteCount &- signatureStart
        guard restByteCount >= 0 else {
            throw .wrongByteCount(expected: signatureStart, actual: manifest.byteCount)
        }
        // SAFETY: both bytes are in bounds, because the number of bytes after them is not
        // negative.
        signatureByteCount = Int(manifest.number(uncheckedAt: signedByteCount, as: UInt16.self))
        guard restByteCount == signatureByteCount else {
            throw .wrongByteCount(expected: byteCount, actual: manifest.byteCount)
        }
        guard signatureByteCount <= ManifestLayout.signatureByteCountMax else {
            throw .signaturesTooLong(byteCount: signatureByteCount, byteOffset: signedByteCount)
        }
    }

    @inline(__always)
    private static func checkHeader(of manifest: RawSpan) throws(ManifestError) {
        guard ManifestLayout.byteCountMin...ManifestLayout.byteCountMax ~= manifest.byteCount
        else {
            throw manifest.byteCount < ManifestLayout.byteCountMin
                ? .tooShort(byteCount: manifest.byteCount)
                : .tooLong(byteCount: manifest.byteCount)
        }
        guard
            manifest.uint32(at: ManifestLayout.magic.lowerBound) == ManifestLayout.magicNumber
        else { throw .notAManifest }
        let formatVersion = manifest.byte(at: ManifestLayout.formatVersion)
        guard formatVersion == ManifestLayout.supportedFormatVersion else {
            throw .unknownFormatVersion(formatVersion)
        }
        // A later version may give the two reserved fields a meaning, so they are checked before
        // the other fields.
        guard manifest.uint16(at: ManifestLayout.reservedBeforeImageByteCount) == 0 else {
            throw .reservedNotZero(byteOffset: ManifestLayout.reservedBeforeImageByteCount)
        }
        guard manifest.uint16(at: ManifestLayout.reservedBeforeSHA256) == 0 else {
            throw .reservedNotZero(byteOffset: ManifestLayout.reservedBeforeSHA256)
        }
        let exponent = manifest.byte(at: ManifestLayout.blockSizeExponent)
        guard ManifestLayout.blockSizeExponents.contains(exponent) else {
            throw .blockSizeOutOfRange(exponent: exponent)
        }
        guard manifest.uint32(at: ManifestLayout.imageByteCount) > 0 else { throw .emptyImage }
        let attributeByteCount = Int(manifest.uint16(at: ManifestLayout.attributeByteCount))
        guard attributeByteCount <= ManifestLayout.attributeByteCountMax else {
            throw .attributesTooLong(byteCount: attributeByteCount)
        }
    }
}

// MARK: - Derived values

extension ManifestFields {
    /// The exponent k of the block length 2^k, 8 to 16.
    public var blockSizeExponent: UInt8 { UInt8(truncatingIfNeeded: exponent) }

    /// The length of every block except the last, 256 to 65,536 bytes.
    public var blockByteCount: Int { 1 &<< Int(truncatingIfNeeded: exponent) }

    /// The number of blocks in the image, 1 to 2^24. The computation can't overflow, because the
    /// image is not empty.
    public var blockCount: Int {
        Int(truncatingIfNeeded: (imageByteCount &- 1) &>> exponent) &+ 1
    }

    /// Returns the length of block `index`. The last block may be shorter than the others.
    public func byteCount(ofBlock index: Int) -> Int {
        precondition(index >= 0 && index < blockCount)
        guard index == blockCount - 1 else { return blockByteCount }
        return Int((imageByteCount - 1) & (UInt32(blockByteCount) - 1)) + 1
    }

    /// The length of the whole manifest, at most 32 MiB.
    public var byteCount: Int { signatureStart &+ signatureByteCount }

    /// The byte range of the SHA-256 of the transferred image.
    public var sha256: Range<Int> { ManifestLayout.sha256 }

    /// The byte range of the attributes.
    public var attributes: Range<Int> {
        let start = ManifestLayout.attributes
        return Range(uncheckedBounds: (start, start &+ attributeByteCount))
    }

    /// Returns the byte range of the hash of block `index`: the first 16 bytes of its SHA-256.
    public func hash(ofBlock index: Int) -> Range<Int> {
        precondition(index >= 0 && index < blockCount)
        let start = attributes.upperBound + index * ManifestLayout.blockHashByteCount
        return start..<start + ManifestLayout.blockHashByteCount
    }

    /// The byte range that signatures cover: everything before the signatures and their length.
    public var signedBytes: Range<Int> { Range(uncheckedBounds: (0, signedByteCount)) }

    /// The byte range of the signatures.
    public var signatures: Range<Int> {
        Range(uncheckedBounds: (signatureStart, byteCount))
    }

    private var signatureStart: Int {
        signedByteCount &+ ManifestLayout.signatureLengthByteCount
    }

    /// A cursor at the first attribute.
    public var attributeCursor: ManifestAttributeCursor {
        ManifestAttributeCursor(range: attributes)
    }

    /// A cursor at the first signature.
    public var signatureCursor: ManifestSignatureCursor {
        ManifestSignatureCursor(range: signatures)
    }

    /// Returns the byte range of the value of an attribute, or `nil` if the manifest does not
    /// have it.
    ///
    /// - Parameters:
    ///   - type: the type of the attribute.
    ///   - manifest: the bytes from which these fields were read.
    public func value(of type: ManifestAttributeType, in manifest: RawSpan) -> Range<Int>? {
        var cursor = attributeCursor
        while let attribute = cursor.next(in: manifest) {
            guard attribute.type == type else { continue }
            // This fails only if the bytes are not those from which these fields were read.
            precondition(type.canHaveValue(byteCount: attribute.valueByteCount))
            return attribute.value
        }
        return nil
    }
}
