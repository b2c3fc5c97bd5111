/// Goes through the attributes of a manifest, and checks on the way that they keep the rules.
///
/// ```swift
/// var cursor = fields.attributeCursor
/// while let attribute = try cursor.next(in: manifest) { … }
/// ```
public struct ManifestAttributeCursor: Sendable, BitwiseCopyable {
    private var byteOffset: Int
    private let end: Int
    private var lastType: ManifestAttributeType?

    /// A cursor before the first attribute of those that fill `range`.
    init(range: Range<Int>) {
        self.byteOffset = range.lowerBound
        self.end = range.upperBound
    }

    /// The next attribute, also one of an unknown type that may be skipped; `nil` after the last.
    ///
    /// - Parameter manifest: the whole manifest, the same with each call.
    public mutating func next(
        in manifest: RawSpan
    ) throws(ManifestError) -> ManifestAttribute? {
        guard byteOffset < end else { return nil }
        let attribute = try attributeHere(in: manifest)
        try check(attribute, in: manifest)
        lastType = attribute.type
        byteOffset = attribute.value.upperBound
        return attribute
    }

    //= MAN-2: Attributes MUST stand in ascending order of type (bit 7 included), each type once,
    //= and fill their space exactly.
    private func attributeHere(in manifest: RawSpan) throws(ManifestError) -> ManifestAttribute {
        guard byteOffset + ManifestLayout.attributeValue <= end else {
            throw .attributeCutShort(byteOffset: byteOffset)
        }
        let type = manifest.byte(at: byteOffset + ManifestLayout.attributeType)
        let length = manifest.byte(at: byteOffset + ManifestLayout.attributeValueByteCount)
        let attribute = ManifestAttribute(
            type: ManifestAttributeType(rawValue: type),
            byteOffset: byteOffset,
            valueByteCount: Int(length)
        )
        guard attribute.value.upperBound <= end else {
            throw .attributeCutShort(byteOffset: byteOffset)
        }
        if let lastType, type <= lastType.rawValue {
            throw .attributeOutOfOrder(byteOffset: byteOffset)
        }
        return attribute
    }

    /// Whether a name says more than which file: whoever makes a path of it shall stay in one
    /// place.
    private static func isPath(_ range: Range<Int>, in manifest: RawSpan) -> Bool {
        let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
        var isDots = range.count <= 2
        for offset in range {
            let byte = manifest.byte(at: offset)
            if byte == 0 || byte == slash { return true }
            if byte != dot { isDots = false }
        }
        return isDots
    }

    //= MAN-8: The lowest revision of a hardware MUST NOT be above the highest, and its name MUST
    //= hold one `/`, with a byte or more at each side, and no zero byte.
    private static func isHardware(_ attribute: ManifestAttribute, in manifest: RawSpan) -> Bool {
        guard let name = attribute.text else { return false }
        let start = attribute.value.lowerBound
        let lowest = manifest.uint16(at: start + ManifestLayout.lowestRevision)
        guard lowest <= manifest.uint16(at: start + ManifestLayout.highestRevision) else {
            return false
        }
        var slash: Int?
        for offset in name {
            let byte = manifest.byte(at: offset)
            guard byte == 0 || byte == UInt8(ascii: "/") else { continue }
            if byte == 0 || slash != nil { return false }
            slash = offset
        }
        guard let slash else { return false }
        return slash > name.lowerBound && slash < name.upperBound - 1
    }

    //= MAN-9: An encoding MUST state a compression or that the image is sealed, and an image of one
    //= byte or more.
    private static func isEncoding(_ value: Range<Int>, in manifest: RawSpan) -> Bool {
        let encoding = ManifestEncoding(value, in: manifest)
        return (encoding.compression != .none || encoding.isSealed) && encoding.imageByteCount > 0
    }

    private func check(
        _ attribute: ManifestAttribute,
        in manifest: RawSpan
    ) throws(ManifestError) {
        let type = attribute.type
        //= MAN-3: A reader MUST refuse a manifest with an unknown attribute whose type has bit 7
        //= set, and skip other unknown ones.
        if type.mustBeUnderstood && !type.isKnown {
            throw .unknownAttribute(type, byteOffset: byteOffset)
        }
        //= MAN-5: The value of a known attribute MUST have a length that the registry allows, and a
        //= name MUST NOT hold `/` or a zero byte nor be `.` or `..`.
        guard type.canHaveValue(byteCount: attribute.valueByteCount) else {
            throw .attributeLengthOutOfRange(type, byteOffset: byteOffset)
        }
        //= MAN-4: Texts in attributes MUST be UTF-8.
        if let text = attribute.text, let fault = manifest.firstOffsetNotUTF8(in: text) {
            throw .textNotUTF8(type, byteOffset: fault)
        }
        if type == .name, Self.isPath(attribute.value, in: manifest) {
            throw .nameIsPath(byteOffset: attribute.value.lowerBound)
        }
        if type == .hardware, !Self.isHardware(attribute, in: manifest) {
            throw .malformedHardware(byteOffset: attribute.value.lowerBound)
        }
        if type == .encoding, !Self.isEncoding(attribute.value, in: manifest) {
            throw .malformedEncoding(byteOffset: attribute.value.lowerBound)
        }
        if type == .seal, !ManifestSeal(attribute.value).areRecipientsInOrder(in: manifest) {
            throw .malformedSeal(byteOffset: attribute.value.lowerBound)
        }
    }
}
