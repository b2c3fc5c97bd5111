import CMinizip

/// The files in a ZIP archive that is in memory.
struct ZIPArchive {
    /// The maximum number of files. A package has fewer: a manifest, and two files for each of at
    /// most three images.
    static let entryCountMax = 16
    /// The maximum length of all files together. No device has more flash. The limit also stops
    /// archives that inflate without end.
    static let totalByteCountMax = 64 << 20

    /// The reason an archive can't be used.
    enum Damage: Error, Hashable {
        case notZIP
        case damaged
        case tooManyEntries
        case tooLarge
        case hasPath(String)
        case isRepeated(String)
        case isEncrypted(String)
        case entryDamaged(String)
    }

    /// The content of each file by its name.
    private(set) var files: [String: [UInt8]] = [:]

    /// Reads all files, and checks them against their checksums.
    init(_ bytes: [UInt8]) throws(Damage) {
        let result = MemoryFile.withArchive(in: bytes) { archive in
            Result { () throws(Damage) in try Self.files(in: archive) }
        }
        guard let result else { throw .notZIP }
        files = try result.get()
    }

    private static func files(in archive: unzFile) throws(Damage) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var leftByteCount = totalByteCountMax
        var status = unzGoToFirstFile(archive)
        while status == UNZ_OK {
            if files.count == entryCountMax { throw .tooManyEntries }
            let (name, content) = try entry(of: archive, byteCountMax: leftByteCount)
            leftByteCount -= content.count
            if files.updateValue(content, forKey: name) != nil { throw .isRepeated(name) }
            status = unzGoToNextFile(archive)
        }
        if status != UNZ_END_OF_LIST_OF_FILE { throw .damaged }
        return files
    }

    private static func entry(
        of archive: unzFile,
        byteCountMax: Int
    ) throws(Damage) -> (name: String, content: [UInt8]) {
        var about = unz_file_info64()
        var nameBytes = [CChar](repeating: 0, count: 256)
        let status = unzGetCurrentFileInfo64(
            archive,
            &about,
            &nameBytes,
            UInt(nameBytes.count),
            nil,
            0,
            nil,
            0
        )
        guard status == UNZ_OK, about.size_filename < nameBytes.count else { throw .damaged }
        let name = String(
            decoding: nameBytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        if name.contains(where: { $0 == "/" || $0 == "\\" }) || name.hasPrefix("..") {
            throw .hasPath(name)
        }
        // Bit 0 is set if the entry is encrypted.
        if about.flag & 1 != 0 { throw .isEncrypted(name) }
        guard about.uncompressed_size <= byteCountMax else { throw .tooLarge }
        let byteCount = Int(about.uncompressed_size)
        guard let content = content(of: archive, byteCount: byteCount) else {
            throw .entryDamaged(name)
        }
        return (name, content)
    }

    /// The content of the current entry; `nil` if its length or checksum differs from the one in
    /// the archive's directory.
    private static func content(of archive: unzFile, byteCount: Int) -> [UInt8]? {
        guard unzOpenCurrentFile(archive) == UNZ_OK else { return nil }
        var content = [UInt8](repeating: 0, count: byteCount)
        var readCount = 0
        let isWhole = content.withUnsafeMutableBytes { buffer in
            while readCount < byteCount {
                let count = unzReadCurrentFile(
                    archive,
                    buffer.baseAddress! + readCount,
                    UInt32(byteCount - readCount)
                )
                guard count > 0 else { return false }
                readCount += Int(count)
            }
            // Only at the end of the entry does minizip compare the checksum.
            var more: UInt8 = 0
            return unzReadCurrentFile(archive, &more, 1) == 0
        }
        let status = unzCloseCurrentFile(archive)
        return isWhole && status == UNZ_OK ? content : nil
    }
}
