/// The reason no bootloader would start an MCUboot image.
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
            "\(fileName) is an MCUboot image that cannot boot: \(finding); \(remedy)."
        )
    }

    private var finding: String {
        switch self {
        case .truncated(let what, let expected, let found):
            "\(what) ends at byte \(expected), but there are no more than "
                + ImageText.count(found, "byte")
        case .headerByteCount(let found):
            "its header says that it has \(ImageText.count(found, "byte")), and a header has at "
                + "least \(MCUbootHeader.byteCountMin)"
        case .noBody:
            "its header says that the program has no bytes"
        case .areaMagic(let isProtected, let offset, let found):
            "at byte \(offset) is 0x\(ImageText.digits(found)) where the "
                + "\(areaName(isProtected)) begins with "
                + "0x\(ImageText.digits(MCUbootTLVArea.magic(isProtected: isProtected)))"
        case .areaByteCount(let isProtected, let found):
            "the \(areaName(isProtected)) says that it has "
                + "\(ImageText.count(found, "byte")), and its own header has "
                + "\(MCUbootTLVArea.headerByteCount)"
        case .protectedByteCount(let found, let expected):
            "the \(areaName(true)) says that it has \(ImageText.count(found, "byte")), "
                + "but the image header says \(expected)"
        case .entryOverrun(let entry, let areaEnd):
            "the TLV \(entry) ends at byte \(entry.valueOffset + entry.byteCount), but its area "
                + "ends at byte \(areaEnd)"
        case .incompleteEntry(let offset, let byteCount):
            "at byte \(offset) a TLV begins with only \(ImageText.count(byteCount, "byte")) "
                + "left in its area, and it takes at least \(MCUbootTLVArea.entryHeaderByteCount)"
        case .hashByteCount(let entry, let expected):
            "the TLV \(entry) has \(ImageText.count(entry.byteCount, "byte")) where the hash "
                + "has \(expected)"
        case .hashMismatch(let entry):
            "its bytes do not have the hash in the TLV \(entry)"
        case .noHash:
            "it has neither a hash nor a signature of the whole image"
        case .encryptedWithoutKey:
            "its header says that it is encrypted, but there is no TLV with the key, and its bytes "
                + "do not have its hash"
        case .notPadding(let offset, let found):
            "at byte \(offset), behind the TLVs, is 0x\(ImageText.digits(found)), which is neither "
                + "padding nor a slot trailer"
        }
    }

    private var remedy: String {
        switch self {
        case .truncated: "it was cut short, build or fetch it again"
        case .noHash, .noBody: "build it again and sign it with imgtool"
        case .hashMismatch: "it was damaged or changed after signing, sign or fetch it again"
        case .notPadding: "something was appended to it, build or fetch it again"
        case .headerByteCount, .areaMagic, .areaByteCount, .protectedByteCount, .entryOverrun,
            .incompleteEntry, .hashByteCount, .encryptedWithoutKey:
            "it is damaged, build, sign or fetch it again"
        }
    }

    private func areaName(_ isProtected: Bool) -> String {
        isProtected ? "protected TLV area" : "TLV area"
    }
}
