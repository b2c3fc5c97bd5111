/// Checks an MCUboot image from its first byte to its last, in pieces.
///
/// ```text
/// header │ program │ protected TLVs, if any │ TLVs │ padding and slot trailer, if any
/// └──────────── covered by the hash ───────┘
/// ```
///
/// Any fault that would make every bootloader refuse the image is an error here. The fault is thus
/// found before the transfer, which can take an hour. Signatures are not checked, because only the
/// device has their keys.
struct MCUbootReader {
    let content: ByteSource
    private let fileName: String

    /// The description of an MCUboot image, or `nil` if the content does not begin like one.
    static func describe(
        _ content: ByteSource,
        fileName: String
    ) throws(FirmwareError) -> MCUbootDescription? {
        let reader = MCUbootReader(content: content, fileName: fileName)
        let beginning = try content.read(
            at: 0,
            byteCount: min(MCUbootHeader.byteCountMin, content.byteCount)
        )
        guard MCUbootHeader.begins(beginning) else { return nil }
        return try reader.describe(beginning: beginning)
    }

    /// The TLVs that no hash covers, without any check of the image; `nil` if the content does not
    /// begin like an MCUboot image.
    static func unprotectedEntries(
        of content: ByteSource
    ) throws(FirmwareError) -> [MCUbootTLV]? {
        let reader = MCUbootReader(content: content, fileName: "The image")
        guard content.byteCount >= MCUbootHeader.byteCountMin else { return nil }
        let beginning = try content.read(at: 0, byteCount: MCUbootHeader.byteCountMin)
        guard MCUbootHeader.begins(beginning) else { return nil }
        let header = try reader.checked { () throws(MCUbootFault) in
            try MCUbootHeader(beginning, fileByteCount: content.byteCount)
        }
        let end = try reader.readProtectedArea(header)?.end ?? header.bodyEnd
        return try reader.readArea(at: end, isProtected: false).entries
    }

    private func describe(beginning: [UInt8]) throws(FirmwareError) -> MCUbootDescription {
        try requireByte(MCUbootHeader.byteCountMin, of: "the header")
        let header = try checked { () throws(MCUbootFault) in
            try MCUbootHeader(beginning, fileByteCount: content.byteCount)
        }
        let protected = try readProtectedArea(header)
        let hashedEnd = protected?.end ?? header.bodyEnd
        let area = try readArea(at: hashedEnd, isProtected: false)
        let tlvs = (protected?.entries ?? []) + area.entries
        let hashCheck = try checkHashes(area.entries, header: header, hashedEnd: hashedEnd)
        let hasTrailer = try requirePadding(from: area.end)
        return MCUbootDescription(
            version: header.version,
            loadAddress: header.loadAddress,
            flags: header.flags,
            headerByteCount: header.headerByteCount,
            bodyByteCount: header.bodyByteCount,
            tlvs: tlvs,
            hashCheck: hashCheck,
            paddingByteCount: content.byteCount - area.end,
            hasTrailer: hasTrailer
        )
    }

    private func readProtectedArea(_ header: MCUbootHeader) throws(FirmwareError) -> MCUbootTLVArea?
    {
        if header.protectedByteCount == 0 { return nil }
        let area = try readArea(at: header.bodyEnd, isProtected: true)
        let byteCount = area.end - header.bodyEnd
        if byteCount != header.protectedByteCount {
            throw error(.protectedByteCount(found: byteCount, expected: header.protectedByteCount))
        }
        return area
    }

    private func readArea(at offset: Int, isProtected: Bool) throws(FirmwareError) -> MCUbootTLVArea
    {
        try requireByte(offset + MCUbootTLVArea.headerByteCount, of: "the header of the TLV area")
        let header = try content.read(at: offset, byteCount: MCUbootTLVArea.headerByteCount)
        let byteCount = try checked { () throws(MCUbootFault) in
            try MCUbootTLVArea.byteCount(ofHeader: header, at: offset, isProtected: isProtected)
        }
        try requireByte(offset + byteCount, of: "the TLV area")
        let bytes = try content.read(at: offset, byteCount: byteCount)
        return try checked { () throws(MCUbootFault) in
            try MCUbootTLVArea(bytes, at: offset, isProtected: isProtected)
        }
    }

    private func requireByte(_ end: Int, of what: String) throws(FirmwareError) {
        if end <= content.byteCount { return }
        throw error(.truncated(what: what, expected: end, found: content.byteCount))
    }

    private func checked<Value>(
        _ parse: () throws(MCUbootFault) -> Value
    ) throws(FirmwareError) -> Value {
        do {
            return try parse()
        } catch {
            throw self.error(error)
        }
    }

    func error(_ fault: MCUbootFault) -> FirmwareError { fault.error(fileName: fileName) }
}
