/// The reason no bootloader would boot an MCUboot image.
enum MCUbootFault: Error, Hashable {
    /// A structure extends past the end of the file.
    case truncated(what: String, expected: Int, found: Int)
    case headerByteCount(found: Int)
    case noBody
    case areaMagic(isProtected: Bool, offset: Int, found: UInt16)
    case areaByteCount(isProtected: Bool, found: Int)
    case protectedByteCount(found: Int, expected: Int)
    case entryOverrun(MCUbootTLV, areaEnd: Int)
    case incompleteEntry(offset: Int, byteCount: Int)
    case hashByteCount(MCUbootTLV, expected: Int)
    case hashMismatch(MCUbootTLV)
    case noHash
    case encryptedWithoutKey
    case notPadding(offset: Int, found: UInt8)

    func error(fileName: String) -> FirmwareError {
        FirmwareError(
            .malformedMCUboot,
            fileName: fileName,
            "\(fileName) is an MCUboot image that can't boot: \(finding); \(remedy)."
        )
    }

    private var finding: String {
        switch self {
        case .truncated(let what, let expected, let found):
            "\(what) should end at byte \(expected), but the file has only "
                + ImageText.count(found, "byte")
        case .headerByteCount(let found):
            "its header claims to have \(ImageText.count(found, "byte")), but a header has at "
                + "least \(MCUbootHeader.byteCountMin)"
        case .noBody:
            "its header specifies an empty program"
        case .areaMagic(let isProtected, let offset, let found):
            "byte \(offset) is 0x\(ImageText.digits(found)), but the \(areaName(isProtected)) must "
                + "begin with 0x\(ImageText.digits(MCUbootTLVArea.magic(isProtected: isProtected)))"
        case .areaByteCount(let isProtected, let found):
            "the \(areaName(isProtected)) claims to have \(ImageText.count(found, "byte")), but "
                + "its own header has \(MCUbootTLVArea.headerByteCount)"
        case .protectedByteCount(let found, let expected):
            "the \(areaName(true)) claims to have \(ImageText.count(found, "byte")), but the image "
                + "header specifies \(expected)"
        case .entryOverrun(let entry, let areaEnd):
            "the TLV \(entry) ends at byte \(entry.valueOffset + entry.byteCount), but its area "
                + "ends at byte \(areaEnd)"
        case .incompleteEntry(let offset, let byteCount):
            "the TLV at byte \(offset) has only \(ImageText.count(byteCount, "byte")) left in its "
                + "area, but needs at least \(MCUbootTLVArea.entryHeaderByteCount)"
        case .hashByteCount(let entry, let expected):
            "the TLV \(entry) has \(ImageText.count(entry.byteCount, "byte")), but a hash has "
                + "\(expected)"
        case .hashMismatch(let entry):
            "its bytes do not match the hash in the TLV \(entry)"
        case .noHash:
            "it has neither a hash nor a signature of the whole image"
        case .encryptedWithoutKey:
            "its header marks it as encrypted, but it has no TLV with the key, and its bytes do "
                + "not match its hash"
        case .notPadding(let offset, let found):
            "byte \(offset), after the TLVs, is 0x\(ImageText.digits(found)), which is neither "
                + "padding nor a slot trailer"
        }
    }

    private var remedy: String {
        switch self {
        case .truncated: "build or download it again, because it was cut short"
        case .noHash, .noBody: "build it again and sign it with imgtool"
        case .hashMismatch:
            "sign or download it again, because it was damaged or changed after signing"
        case .notPadding: "build or download it again, because something was appended to it"
        case .headerByteCount, .areaMagic, .areaByteCount, .protectedByteCount, .entryOverrun,
            .incompleteEntry, .hashByteCount, .encryptedWithoutKey:
            "build, sign or download it again, because it is damaged"
        }
    }

    private func areaName(_ isProtected: Bool) -> String {
        isProtected ? "protected TLV area" : "TLV area"
    }
}
