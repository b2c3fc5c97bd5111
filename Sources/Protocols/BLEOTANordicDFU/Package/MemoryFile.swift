import CMinizip

/// Bytes in memory that minizip reads as a file.
final class MemoryFile {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Calls `body` with the archive in `bytes`. Returns `nil` if they are not an archive.
    static func withArchive<Value>(in bytes: [UInt8], _ body: (unzFile) -> Value) -> Value? {
        bytes.withUnsafeBytes { buffer in
            let file = MemoryFile(buffer)
            var functions = file.functions
            return withExtendedLifetime(file) {
                guard let archive = unzOpen2("", &functions) else { return nil }
                defer { unzClose(archive) }
                return body(archive)
            }
        }
    }

    private var functions: zlib_filefunc_def {
        zlib_filefunc_def(
            zopen_file: { file, _, _ in file },
            zread_file: { _, file, buffer, count in
                UInt(MemoryFile.of(file).read(into: buffer, count: Int(clamping: count)))
            },
            zwrite_file: { _, _, _, _ in 0 },
            ztell_file: { _, file in MemoryFile.of(file).offset },
            zseek_file: { _, file, offset, origin in
                MemoryFile.of(file).seek(to: Int(clamping: offset), from: origin)
            },
            zclose_file: { _, _ in 0 },
            zerror_file: { _, _ in 0 },
            opaque: Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> MemoryFile {
        Unmanaged<MemoryFile>.fromOpaque(pointer!).takeUnretainedValue()
    }

    private func read(into buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
        let count = min(count, bytes.count - offset)
        guard count > 0, let buffer else { return 0 }
        buffer.copyMemory(from: bytes.baseAddress! + offset, byteCount: count)
        offset += count
        return count
    }

    /// - Returns: 0, or -1 if the position is outside the file.
    private func seek(to distance: Int, from origin: Int32) -> Int {
        let start =
            switch origin {
            case ZLIB_FILEFUNC_SEEK_CUR: offset
            case ZLIB_FILEFUNC_SEEK_END: bytes.count
            default: 0
            }
        // minizip computes seek offsets from fields of the archive, which may hold any value.
        let (target, hasOverflowed) = start.addingReportingOverflow(distance)
        guard !hasOverflowed, (0...bytes.count).contains(target) else { return -1 }
        offset = target
        return 0
    }
}
