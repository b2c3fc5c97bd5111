import BLEOTAWire

/// The result of reading a manifest without its signatures: its fields and the positions of its
/// values.
///
/// The rules are checked in the order in which violations are reported.
package struct ManifestReading: ~Copyable {
    package private(set) var fields = ManifestFields()
    /// The offsets of the values of known types. An offset of 0 stands for a missing attribute,
    /// because no value can begin there.
    private var starts = InlineArray<16, UInt32>(repeating: 0)
    /// The first byte of the encoding, or 0 if there is none. A valid encoding is never 0.
    private var encoding: UInt32 = 0
    /// The last unknown type. Nothing is read after an unknown type that must be understood.
    package private(set) var unknownType = ManifestAttributeType(rawValue: 0)

    /// Creates an empty reading.
    package init() {}

    /// Returns the offset of the value of a known type, or 0 if the manifest does not have it.
    package func start(of type: ManifestAttributeType) -> Int {
        Int(truncatingIfNeeded: starts[ManifestAttributeForm.index(of: type)])
    }

    /// Reads a manifest and checks every rule except those for signatures, which
    /// ``ManifestSignatureCursor/checkedNext(in:)`` checks.
    ///
    /// Always inlined, so that a caller that ignores the kind of violation needs no code for
    /// it.
    @inline(__always)
    package mutating func read(_ manifest: RawSpan) throws(ManifestError) {
        try fields.readNumbers(of: manifest)
        try readAttributes(in: manifest)
        try checkEncoding()
    }

    //= MAN-2: The attributes MUST be sorted by ascending type (bit 7 included), without duplicates,
    //= and fill their space exactly.
    /// Checks the attributes and records the positions of their values.
    @inline(__always)
    private mutating func readAttributes(in manifest: RawSpan) throws(ManifestError) {
        var cursor = fields.attributeCursor
        var lastType = -1
        while let attribute = cursor.next(inWhole: manifest) {
            let type = Int(attribute.type.rawValue)
            guard type > lastType else {
                throw .attributeOutOfOrder(byteOffset: attribute.byteOffset)
            }
            lastType = type
            let (isWrong, textEnd) = note(attribute.type, attribute.value, in: manifest)
            if isWrong { throw Self.fault(of: attribute, textEnd: textEnd) }
        }
        guard cursor.isAtEnd else { throw .attributeCutShort(byteOffset: cursor.byteOffset) }
    }

    /// Records the position of the value of a known type.
    ///
    /// Not inlined: as a separate function, it has its own register allocation, which makes the
    /// code smaller on a microcontroller.
    ///
    /// - Returns: whether the attribute breaks a rule by itself, and the end of its valid
    ///   UTF-8. This is the end of the value if all of it is valid or if it need not be UTF-8.
    @inline(never)
    private mutating func note(
        _ type: ManifestAttributeType,
        _ value: Range<Int>,
        in manifest: RawSpan
    ) -> (isWrong: Bool, textEnd: Int) {
        let (start, end) = (value.lowerBound, value.upperBound)
        //= MAN-3: A reader MUST refuse a manifest with an unknown attribute whose type has bit 7
        //= set. It MUST skip every other unknown attribute.
        guard let form = ManifestAttributeForm(of: type) else {
            unknownType = type
            return (type.mustBeUnderstood, end)
        }
        starts[ManifestAttributeForm.index(of: type)] = UInt32(truncatingIfNeeded: start)
        //= MAN-5: The value of a known attribute MUST have a length that the registry allows. A
        //= name MUST NOT contain `/` or a zero byte, and MUST NOT be `.` or `..`.
        guard form.allows(byteCount: end &- start) else { return (true, end) }
        // SAFETY: from here on, the value is in bounds and has a length that the registry
        // allows.
        var isWrong = false
        switch form.content {
        case .other: break
        case .text, .name, .hardware:
            //= MAN-4: Text in attributes MUST be UTF-8.
            let textStart = start &+ form.content.textOffset
            let text = TextScan(of: manifest, from: textStart, to: end)
            guard text.end == end else { return (true, text.end) }
            if form.content == .name {
                isWrong = text.slashCount != 0 || Self.isDots(value, in: manifest)
            } else if form.content == .hardware {
                isWrong = text.slashCount != 1 || !Self.isHardware(value, in: manifest)
            }
        case .encoding: isWrong = !noteEncoding(at: start, in: manifest)
        case .seal: isWrong = !Self.isSeal(value, in: manifest)
        }
        return (isWrong, end)
    }

    /// Returns the first violation that ``note(_:_:in:)`` found in an attribute.
    @inline(__always)
    private static func fault(of attribute: ManifestAttribute, textEnd: Int) -> ManifestError {
        let (type, value) = (attribute.type, attribute.value)
        guard let form = ManifestAttributeForm(of: type) else {
            return .unknownAttribute(type, byteOffset: attribute.byteOffset)
        }
        guard form.allows(byteCount: attribute.valueByteCount) else {
            return .attributeLengthOutOfRange(type, byteOffset: attribute.byteOffset)
        }
        guard textEnd == value.upperBound else { return .textNotUTF8(type, byteOffset: textEnd) }
        return switch form.content {
        case .name: .nameIsPath(byteOffset: value.lowerBound)
        case .hardware: .malformedHardware(byteOffset: value.lowerBound)
        case .encoding: .malformedEncoding(byteOffset: value.lowerBound)
        case .seal, .text, .other: .malformedSeal(byteOffset: value.lowerBound)
        }
    }

    /// Whether a name is `.` or `..`.
    private static func isDots(_ name: Range<Int>, in manifest: RawSpan) -> Bool {
        let dot = UInt8(ascii: ".")
        return name.upperBound &- 2 <= name.lowerBound
            && manifest.number(uncheckedAt: name.lowerBound, as: UInt8.self) == dot
            && manifest.number(uncheckedAt: name.upperBound &- 1, as: UInt8.self) == dot
    }

    //= MAN-8: In the attribute *hardware*, the lowest revision MUST NOT be above the highest. The
    //= name MUST contain exactly one `/`, with one byte or more on each side, and no zero byte.
    private static func isHardware(_ value: Range<Int>, in manifest: RawSpan) -> Bool {
        let (start, slash) = (value.lowerBound, UInt8(ascii: "/"))
        let name = start &+ ManifestLayout.hardwareName
        let (lowest, highest) = ManifestHardware.revisions(at: start, in: manifest)
        return lowest <= highest
            && manifest.number(uncheckedAt: name, as: UInt8.self) != slash
            && manifest.number(uncheckedAt: value.upperBound &- 1, as: UInt8.self) != slash
    }

    //= MAN-9: An attribute *encoding* MUST state a compression other than *none*, or that the image
    //= is sealed, or both. The image byte count that it states MUST be 1 or more.
    private mutating func noteEncoding(at start: Int, in manifest: RawSpan) -> Bool {
        encoding = UInt32(
            manifest.number(uncheckedAt: start &+ ManifestLayout.encodingByte, as: UInt8.self)
        )
        return encoding != 0
            && manifest.number(
                uncheckedAt: start &+ ManifestLayout.decodedImageByteCount,
                as: UInt32.self
            ) > 0
    }

    //= MAN-11: The recipients of a seal MUST be sorted by ascending key id, without duplicates.
    private static func isSeal(_ value: Range<Int>, in manifest: RawSpan) -> Bool {
        var offset = value.lowerBound &+ ManifestLayout.sealRecipients
        while true {
            let next = offset &+ ManifestLayout.sealRecipientByteCount
            guard next < value.upperBound else { return true }
            let keyID = manifest.number(uncheckedAt: offset, as: UInt64.self)
            guard keyID < manifest.number(uncheckedAt: next, as: UInt64.self) else { return false }
            offset = next
        }
    }

    //= MAN-10: If the compression is *patch*, a manifest MUST have a base. If the compression is
    //= *none* or *zlib*, or if there is no encoding, the manifest MUST NOT have a base. A manifest
    //= MUST have a seal if the image is sealed, and MUST NOT have a seal otherwise.
    @inline(__always)
    private func checkEncoding() throws(ManifestError) {
        let compression = encoding & ~UInt32(ManifestLayout.sealedBit)
        let hasBase = start(of: .base) != 0
        let isBaseRight =
            compression > Compression.patch.rawValue
            || hasBase == (compression == Compression.patch.rawValue)
        let isSealed = encoding >= ManifestLayout.sealedBit
        guard isBaseRight, (start(of: .seal) != 0) == isSealed else {
            throw .malformedEncoding(byteOffset: fields.attributes.lowerBound)
        }
    }
}
