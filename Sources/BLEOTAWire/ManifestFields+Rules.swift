// The rules for attributes and signatures, in the order in which their faults are reported.
extension ManifestFields {
    //= MAN-2: Attributes MUST stand in ascending order of type (bit 7 included), each type once,
    //= and fill their space exactly.
    func checkAttributes(in manifest: RawSpan) throws(ManifestError) {
        var cursor = attributeCursor
        var lastType = -1
        while let attribute = cursor.next(in: manifest) {
            let type = Int(attribute.type.rawValue)
            guard type > lastType else {
                throw .attributeOutOfOrder(byteOffset: attribute.byteOffset)
            }
            try Self.check(attribute, in: manifest)
            lastType = type
        }
        guard cursor.isAtEnd else { throw .attributeCutShort(byteOffset: cursor.byteOffset) }
    }

    private static func check(
        _ attribute: ManifestAttribute,
        in manifest: RawSpan
    ) throws(ManifestError) {
        let (type, valueOffset) = (attribute.type, attribute.value.lowerBound)
        //= MAN-3: A reader MUST refuse a manifest with an unknown attribute whose type has bit 7
        //= set, and skip other unknown ones.
        guard let form = ManifestAttributeForm(of: type) else {
            guard type.mustBeUnderstood else { return }
            throw .unknownAttribute(type, byteOffset: attribute.byteOffset)
        }
        //= MAN-5: The value of a known attribute MUST have a length that the registry allows, and a
        //= name MUST NOT hold `/` or a zero byte nor be `.` or `..`.
        guard form.allows(byteCount: attribute.valueByteCount) else {
            throw .attributeLengthOutOfRange(type, byteOffset: attribute.byteOffset)
        }
        let value = manifest.extracting(attribute.value)
        //= MAN-4: Texts in attributes MUST be UTF-8.
        if let textOffset = form.textOffset {
            let end = value.endOfUTF8(from: textOffset)
            guard end == value.byteCount else {
                throw .textNotUTF8(type, byteOffset: valueOffset &+ end)
            }
        }
        guard isWellFormed(value, as: type) else {
            throw type.malformed(byteOffset: valueOffset)
        }
    }

    /// Whether a value of the right length, and UTF-8 where it is a text, says something.
    ///
    /// Not inlined, since in a microcontroller it is less code with registers of its own.
    @inline(never)
    private static func isWellFormed(_ value: RawSpan, as type: ManifestAttributeType) -> Bool {
        switch type {
        case .name: !isPath(value)
        case .hardware: isHardware(value)
        case .encoding: isEncoding(value)
        case .seal: isSeal(value)
        default: true
        }
    }

    /// Whether a name says more than which file: whoever makes a path of it shall stay in one
    /// place.
    private static func isPath(_ name: RawSpan) -> Bool {
        let dot = UInt8(ascii: ".")
        let isDots =
            name.byteCount <= 2 && name.byte(at: 0) == dot
            && name.byte(at: name.byteCount - 1) == dot
        return isDots || name.slashes(from: 0) != .none
    }

    //= MAN-8: The lowest revision of a hardware MUST NOT be above the highest, and its name MUST
    //= hold one `/`, with a byte or more at each side, and no zero byte.
    private static func isHardware(_ value: RawSpan) -> Bool {
        let lowest = value.uint16(at: ManifestLayout.lowestRevision)
        return lowest <= value.uint16(at: ManifestLayout.highestRevision)
            && value.slashes(from: ManifestLayout.hardwareName) == .oneWithin
    }

    //= MAN-9: An encoding MUST state a compression or that the image is sealed, and an image of one
    //= byte or more.
    private static func isEncoding(_ value: RawSpan) -> Bool {
        value.byte(at: ManifestLayout.encodingByte) != 0
            && value.uint32(at: ManifestLayout.decodedImageByteCount) > 0
    }

    //= MAN-11: The recipients of a seal MUST stand in ascending order of key id, each once.
    private static func isSeal(_ value: RawSpan) -> Bool {
        var offset = ManifestLayout.sealRecipients
        while true {
            let next = offset &+ ManifestLayout.sealRecipientByteCount
            guard next < value.byteCount else { return true }
            guard value.uint64(at: offset) < value.uint64(at: next) else { return false }
            offset = next
        }
    }

    //= MAN-10: A manifest MUST have a base where the compression is *patch*, and none where it is
    //= *none* or *zlib* or there is no encoding; and a seal exactly where the image is sealed.
    func checkEncoding(in manifest: RawSpan) throws(ManifestError) {
        let encoding = value(of: .encoding, in: manifest)
        let byte = encoding.map { manifest.byte(at: $0.lowerBound) } ?? 0
        let compression = Compression(rawValue: byte & ~ManifestLayout.sealedBit)
        let isSealed = byte != compression.rawValue
        let hasBase = value(of: .base, in: manifest) != nil
        let isBaseRight =
            compression == .patch ? hasBase : !(hasBase && compression.isKnown)
        guard isBaseRight, (value(of: .seal, in: manifest) != nil) == isSealed else {
            throw .malformedEncoding(byteOffset: attributes.lowerBound)
        }
    }

    /// The cursor knows the rules.
    func checkSignatures(in manifest: RawSpan) throws(ManifestError) {
        var cursor = signatureCursor
        while cursor.advance(in: manifest) {}
        guard cursor.isAtEnd else {
            // There is a fault, or the cursor would have gone on.
            throw cursor.fault(in: manifest) ?? .signatureCutShort(byteOffset: cursor.byteOffset)
        }
    }
}

extension ManifestAttributeType {
    fileprivate func malformed(byteOffset: Int) -> ManifestError {
        switch self {
        case .name: .nameIsPath(byteOffset: byteOffset)
        case .hardware: .malformedHardware(byteOffset: byteOffset)
        case .encoding: .malformedEncoding(byteOffset: byteOffset)
        default: .malformedSeal(byteOffset: byteOffset)
        }
    }
}

/// The slashes of a text without a zero byte.
private enum Slashes {
    case none
    /// One, with a byte or more at each side.
    case oneWithin
    case other
}

extension RawSpan {
    fileprivate func slashes(from start: Int) -> Slashes {
        var slashes = Slashes.none
        var offset = start
        while offset < byteCount {
            let byte = byte(at: offset)
            if byte == 0 { return .other }
            if byte == UInt8(ascii: "/") {
                let isWithin = offset > start && offset < byteCount &- 1
                guard slashes == .none, isWithin else { return .other }
                slashes = .oneWithin
            }
            offset &+= 1
        }
        return slashes
    }
}
