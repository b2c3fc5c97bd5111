import BLEOTAWire

/// A manifest that keeps every rule of section 4.2, as numbers and ranges into its bytes.
///
/// ```swift
/// let fields = try ManifestFields(parsing: manifest)
/// for block in 0..<fields.blockCount {
///     let hash = manifest.extracting(fields.hash(ofBlock: block))
/// }
/// ```
///
/// The image's length is a `UInt32`, which holds it wherever `Int` has 32 bits; everything else
/// is bounded by the 32 MiB that a manifest may have.
public struct ManifestFields: Hashable, Sendable, BitwiseCopyable {
    /// The length of the image as it travels, 1 to 4,294,967,295 bytes; ``encoding(in:)`` has that
    /// of what it becomes.
    public private(set) var imageByteCount: UInt32 = 0
    /// The length of all attributes, 0 to 4,096 bytes.
    public private(set) var attributeByteCount = 0
    /// The length of all signatures, 0 to 4,096 bytes.
    public private(set) var signatureByteCount = 0
    /// How much signatures are about: all that stands before them and their length.
    private var signedByteCount = 0
    private var exponent: UInt32 = 0

    /// Those of no manifest.
    init() {}

    /// Reads a manifest and checks every rule.
    ///
    /// - Parameter manifest: the whole manifest and nothing else.
    /// - Throws: the first fault, in the order that spec/vectors/README.md gives.
    public init(parsing manifest: RawSpan) throws(ManifestError) {
        var reading = ManifestReading()
        try reading.read(manifest)
        self = reading.fields
        var cursor = signatureCursor
        while try cursor.checkedNext(in: manifest) != nil {}
    }

    /// Reads what does not depend on attributes and signatures.
    @inline(__always)
    mutating func readNumbers(of manifest: RawSpan) throws(ManifestError) {
        try Self.checkHeader(of: manifest)
        imageByteCount = manifest.uint32(at: ManifestLayout.imageByteCount)
        exponent = UInt32(manifest.byte(at: ManifestLayout.blockSizeExponent))
        attributeByteCount = Int(manifest.uint16(at: ManifestLayout.attributeByteCount))
        // An image has a byte at least and 2^24 blocks at most, so that none of this wraps.
        signedByteCount =
            attributes.upperBound &+ blockCount &* ManifestLayout.blockHashByteCount

        //= MAN-1: A manifest MUST be exactly as long as its fields say.
        let restByteCount = manifest.byteCount &- signatureStart
        guard restByteCount >= 0 else {
            throw .wrongByteCount(expected: signatureStart, actual: manifest.byteCount)
        }
        // SAFETY: both bytes are inside, since there is nothing less than nothing behind them.
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
        // A later version may give both a meaning, so that they come before what the fields say.
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

// MARK: - What follows from the fields

extension ManifestFields {
    /// The k of blocks of 2^k bytes, 8 to 16.
    public var blockSizeExponent: UInt8 { UInt8(truncatingIfNeeded: exponent) }

    /// The length of all blocks but the last, 256 to 65,536 bytes.
    public var blockByteCount: Int { 1 &<< Int(truncatingIfNeeded: exponent) }

    /// How many blocks the image has, 1 to 2^24. Cannot overflow, since the image has a byte.
    public var blockCount: Int {
        Int(truncatingIfNeeded: (imageByteCount &- 1) &>> exponent) &+ 1
    }

    /// The length of block `index`: the last may be shorter than the others.
    public func byteCount(ofBlock index: Int) -> Int {
        precondition(index >= 0 && index < blockCount)
        guard index == blockCount - 1 else { return blockByteCount }
        return Int((imageByteCount - 1) & (UInt32(blockByteCount) - 1)) + 1
    }

    /// The length of the whole manifest, at most 32 MiB.
    public var byteCount: Int { signatureStart &+ signatureByteCount }

    /// Where the SHA-256 of the image as it travels stands.
    public var sha256: Range<Int> { ManifestLayout.sha256 }

    /// Where the attributes stand.
    public var attributes: Range<Int> {
        let start = ManifestLayout.attributes
        return Range(uncheckedBounds: (start, start &+ attributeByteCount))
    }

    /// Where the first 16 bytes of the SHA-256 of block `index` stand.
    public func hash(ofBlock index: Int) -> Range<Int> {
        precondition(index >= 0 && index < blockCount)
        let start = attributes.upperBound + index * ManifestLayout.blockHashByteCount
        return start..<start + ManifestLayout.blockHashByteCount
    }

    /// What signatures are about: all that stands before them and their length.
    public var signedBytes: Range<Int> { Range(uncheckedBounds: (0, signedByteCount)) }

    /// Where the signatures stand.
    public var signatures: Range<Int> {
        Range(uncheckedBounds: (signatureStart, byteCount))
    }

    private var signatureStart: Int {
        signedByteCount &+ ManifestLayout.signatureLengthByteCount
    }

    /// Begins to go through the attributes.
    public var attributeCursor: ManifestAttributeCursor {
        ManifestAttributeCursor(range: attributes)
    }

    /// Begins to go through the signatures.
    public var signatureCursor: ManifestSignatureCursor {
        ManifestSignatureCursor(range: signatures)
    }

    /// Where the value of the attribute `type` stands; `nil` if the manifest does not have it.
    ///
    /// - Parameter manifest: the bytes these fields were read from.
    public func value(of type: ManifestAttributeType, in manifest: RawSpan) -> Range<Int>? {
        var cursor = attributeCursor
        while let attribute = cursor.next(in: manifest) {
            guard attribute.type == type else { continue }
            // Only in other bytes than these fields were read from it can't.
            precondition(type.canHaveValue(byteCount: attribute.valueByteCount))
            return attribute.value
        }
        return nil
    }
}
