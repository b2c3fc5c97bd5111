extension MCUbootReader {
    /// Checks the bytes before `hashedEnd` against every hash that the image carries.
    ///
    /// The hash of an encrypted image covers its plaintext. Some images are marked as encrypted
    /// but are still plaintext, because the device encrypts them. The hash is therefore tried
    /// first.
    func checkHashes(
        _ entries: [MCUbootTLV],
        header: MCUbootHeader,
        hashedEnd: Int
    ) throws(FirmwareError) -> MCUbootDescription.HashCheck {
        if let mismatch = try firstMismatch(in: entries, hashedEnd: hashedEnd) {
            if !header.isEncrypted { throw error(.hashMismatch(mismatch)) }
            let hasKey = entries.contains { MCUbootTLV.encryptionKeys.contains($0.type) }
            if !hasKey { throw error(.encryptedWithoutKey) }
            return .encrypted
        }
        if entries.contains(where: { MCUbootTLV.hashes.contains($0.type) }) { return .verified }
        let isSigned = entries.contains { $0.type == MCUbootTLV.wholeImageSignature }
        if isSigned { return .signatureOnly }
        throw error(.noHash)
    }

    private func firstMismatch(
        in entries: [MCUbootTLV],
        hashedEnd: Int
    ) throws(FirmwareError) -> MCUbootTLV? {
        for type in MCUbootTLV.hashes {
            let hashes = entries.filter { $0.type == type }
            let mismatch =
                switch type {
                case MCUbootTLV.sha256: try firstMismatch(in: hashes, SHA256(), hashedEnd)
                case MCUbootTLV.sha384: try firstMismatch(in: hashes, SHA384(), hashedEnd)
                default: try firstMismatch(in: hashes, SHA512(), hashedEnd)
                }
            if let mismatch { return mismatch }
        }
        return nil
    }

    /// Finds the first of these hashes that does not match. Reads the image once, or not at all
    /// if there are no hashes.
    private func firstMismatch<Hash: HashFunction>(
        in hashes: [MCUbootTLV],
        _ empty: Hash,
        _ hashedEnd: Int
    ) throws(FirmwareError) -> MCUbootTLV? {
        if hashes.isEmpty { return nil }
        var hash = empty
        try content.forEachPiece(of: 0..<hashedEnd) { piece, _ in
            hash.update(piece)
        }
        let digest = hash.digest
        for entry in hashes {
            if entry.byteCount != Hash.byteCount {
                throw error(.hashByteCount(entry, expected: Hash.byteCount))
            }
            let stated = try content.read(at: entry.valueOffset, byteCount: entry.byteCount)
            if digest != stated { return entry }
        }
        return nil
    }
}

extension MCUbootReader {
    /// The hash in the TLVs of an image, unchecked; `nil` if the content is not an MCUboot image,
    /// or has no hash.
    static func statedHash(of content: ByteSource) throws(FirmwareError) -> [UInt8]? {
        guard let entries = try unprotectedEntries(of: content),
            let hash = entries.first(where: \.isImageHash)
        else { return nil }
        return try content.read(at: hash.valueOffset, byteCount: hash.byteCount)
    }
}
