/// The header of an MCUboot image. It is little-endian, as in nearly every image; a file with a
/// big-endian header is raw.
struct MCUbootHeader {
    static let magic: UInt32 = 0x96F3_B83D
    static let magicByteCount = 4
    /// The length of the fixed fields. The header may be longer, because programs are aligned.
    static let byteCountMin = 32

    private enum Offset {
        static let loadAddress = 4
        static let headerByteCount = 8
        static let protectedByteCount = 10
        static let bodyByteCount = 12
        static let flags = 16
        static let major = 20
        static let minor = 21
        static let revision = 22
        static let build = 24
    }

    private enum Flag {
        static let encryptedAES128: UInt32 = 0x4
        static let encryptedAES256: UInt32 = 0x8
    }

    let loadAddress: UInt32
    let headerByteCount: Int
    /// The length of the protected TLV area, including its header; zero if there is none.
    let protectedByteCount: Int
    let bodyByteCount: Int
    let flags: UInt32
    let version: String

    /// The offset at which the program ends and the first TLV area begins, never past the end
    /// of the file.
    let bodyEnd: Int

    var isEncrypted: Bool { flags & (Flag.encryptedAES128 | Flag.encryptedAES256) != 0 }

    static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.count >= magicByteCount && bytes.littleEndianUInt32(at: 0) == magic
    }

    /// - Parameter bytes: the first 32 bytes of the image.
    init(_ bytes: [UInt8], fileByteCount: Int) throws(MCUbootFault) {
        loadAddress = bytes.littleEndianUInt32(at: Offset.loadAddress)
        headerByteCount = Int(bytes.littleEndianUInt16(at: Offset.headerByteCount))
        protectedByteCount = Int(bytes.littleEndianUInt16(at: Offset.protectedByteCount))
        flags = bytes.littleEndianUInt32(at: Offset.flags)
        version = Self.version(bytes)
        let bodyByteCount = UInt64(bytes.littleEndianUInt32(at: Offset.bodyByteCount))
        if headerByteCount < Self.byteCountMin {
            throw .headerByteCount(found: headerByteCount)
        }
        if bodyByteCount == 0 { throw .noBody }
        let bodyEnd = UInt64(headerByteCount) + bodyByteCount
        if bodyEnd > UInt64(fileByteCount) {
            throw .truncated(
                what: "the program",
                expected: Int(clamping: bodyEnd),
                found: fileByteCount
            )
        }
        self.bodyByteCount = Int(bodyByteCount)
        self.bodyEnd = Int(bodyEnd)
    }

    static func version(_ bytes: [UInt8]) -> String {
        let revision = bytes.littleEndianUInt16(at: Offset.revision)
        let build = bytes.littleEndianUInt32(at: Offset.build)
        let core = "\(bytes[Offset.major]).\(bytes[Offset.minor]).\(revision)"
        return build == 0 ? core : "\(core)+\(build)"
    }
}

extension [UInt8] {
    func littleEndianUInt16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    fileprivate func littleEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(littleEndianUInt16(at: offset)) | UInt32(littleEndianUInt16(at: offset + 2)) << 16
    }
}
