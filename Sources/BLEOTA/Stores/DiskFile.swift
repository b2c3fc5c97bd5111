import Crypto
import Glibc
import SystemPackage

/// An open file, closed when the last reference and the last flush go.
final class DiskFile {
    /// Where it was when it was opened.
    let path: FilePath
    private let disk: Disk
    private let owner: FileDescriptorOwner
    private var descriptor: CInt { owner.number }

    /// The failure that made it unknown what of the file is durable.
    ///
    /// After a failed fsync the system takes the pages that it could not write as clean, and a
    /// second fsync succeeds without having written them. So the first failure stands until the
    /// file is opened anew and read back.
    private var lostTrack: StoreError?

    private init(path: FilePath, disk: Disk, descriptor: CInt) {
        self.path = path
        self.disk = disk
        owner = FileDescriptorOwner(descriptor)
    }

    /// Makes a file of `byteCount` bytes that are zero, for which the disk has room.
    ///
    /// Leaves no file behind if it has not.
    static func create(
        _ path: FilePath,
        byteCount: Int,
        on disk: Disk
    ) throws(StoreError) -> DiskFile {
        var descriptor: CInt = -1
        try disk.make(.createFile(path), to: "create", path) {
            path.withPlatformString { name in
                Errno.of {
                    descriptor = Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                    return descriptor
                }
            }
        }
        let file = DiskFile(path: path, disk: disk, descriptor: descriptor)
        do throws(StoreError) {
            try file.allocate(byteCount)
        } catch {
            try? disk.removeFile(path)
            throw error
        }
        return file
    }

    /// All of an image that a patch may be against; `nil` if there is none or it is too long.
    static func base(_ path: FilePath, on disk: Disk) throws(StoreError) -> [UInt8]? {
        guard let byteCount = disk.fileByteCount(of: path),
            byteCount <= ImageDecoder.inMemoryByteCountMax
        else { return nil }
        return try open(path, on: disk, writable: false).read(0..<byteCount)
    }

    /// Opens a file that exists.
    static func open(
        _ path: FilePath,
        on disk: Disk,
        writable: Bool = true
    ) throws(StoreError) -> DiskFile {
        let flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW
        let result = path.withPlatformString { name in
            var descriptor: CInt = -1
            let errno = Errno.of {
                descriptor = Glibc.open(name, flags)
                return descriptor
            }
            return (descriptor, errno)
        }
        if let errno = result.1 { throw disk.failure(errno, to: "open", path) }
        return DiskFile(path: path, disk: disk, descriptor: result.0)
    }

    private func allocate(_ byteCount: Int) throws(StoreError) {
        try disk.make(.allocate(path, byteCount: byteCount), to: "make room for", path) {
            var code: CInt
            repeat {
                code = posix_fallocate(descriptor, 0, byteCount)
            } while code == EINTR
            // Some file systems can't reserve; there a full disk shows when a block is written.
            if code == EOPNOTSUPP || code == EINVAL {
                return Errno.of { ftruncate(descriptor, byteCount) }
            }
            return code == 0 ? nil : Errno(rawValue: code)
        }
    }

    // MARK: - Writing

    func write(_ bytes: [UInt8], at byteOffset: Int) throws(StoreError) {
        if let lostTrack { throw lostTrack }
        let step = DiskStep.write(path, byteOffset: byteOffset, bytes: bytes)
        try disk.make(step, to: "write", path) {
            bytes.withUnsafeBytes { bytes in
                var written = 0
                while written < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                    let count = pwrite(
                        descriptor,
                        rest.baseAddress!,
                        rest.count,
                        byteOffset + written
                    )
                    if count > 0 {
                        written += count
                    } else if count == 0 || errno != EINTR {
                        return count == 0 ? .ioError : Errno(rawValue: errno)
                    }
                }
                return nil
            }
        }
    }

    /// Makes content and length durable.
    func synchronize() throws(StoreError) {
        try synchronize { Errno.of { fdatasync(self.descriptor) } }
    }

    /// The same, for a caller that goes on writing meanwhile and tells by ``flushFailed(_:)`` what
    /// came of it.
    func flush() throws(StoreError) -> FileFlush {
        if let lostTrack { throw lostTrack }
        return FileFlush { [disk, path, owner] in
            do throws(StoreError) {
                try disk.make(.synchronize(path), to: "make durable", path) {
                    Errno.of { fdatasync(owner.number) }
                }
                return nil
            } catch {
                return error
            }
        }
    }

    func flushFailed(_ error: StoreError) { lostTrack = error }

    /// Makes the file durable and forgets what memory holds of it, so that what is read next is
    /// what the disk has.
    func synchronizeAndForget() throws(StoreError) {
        try synchronize { Errno.of { fsync(self.descriptor) } }
        // Only advice: a file system that keeps the pages returns what was written to it.
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    private func synchronize(_ call: () -> Errno?) throws(StoreError) {
        if let lostTrack { throw lostTrack }
        do throws(StoreError) {
            try disk.make(.synchronize(path), to: "make durable", path, call: call)
        } catch {
            lostTrack = error
            throw error
        }
    }

    // MARK: - Reading

    func byteCount() throws(StoreError) -> Int {
        var status = stat()
        if let errno = Errno.of({ fstat(descriptor, &status) }) {
            throw disk.failure(errno, to: "look at", path)
        }
        return Int(status.st_size)
    }

    /// The bytes in a range that lies in the file.
    func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            failure = fill(UnsafeMutableRawBufferPointer(buffer), from: range.lowerBound)
            count = failure == nil ? range.count : 0
        }
        if let failure { throw disk.failure(failure, to: "read", path) }
        return bytes
    }

    /// The first offset from `byteOffset` on at which something was written; `nil` if none is.
    func nextData(from byteOffset: Int) -> Int? {
        // The number of SEEK_DATA, which the C library shows only with its extensions.
        let data = lseek(descriptor, byteOffset, 3)
        if data >= 0 { return data }
        // Where the file system doesn't know, everything counts as written.
        return errno == ENXIO ? nil : byteOffset
    }

    /// The SHA-256 of the whole file, read in pieces of 256 KiB.
    func sha256() throws(StoreError) -> [UInt8] {
        let end = try byteCount()
        var hasher = SHA256()
        var failure: Errno?
        withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
            for start in stride(from: 0, to: end, by: buffer.count) {
                let piece = buffer[..<min(buffer.count, end - start)]
                failure = fill(UnsafeMutableRawBufferPointer(rebasing: piece), from: start)
                if failure != nil { return }
                hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: piece))
            }
        }
        if let failure { throw disk.failure(failure, to: "read", path) }
        return Array(hasher.finalize())
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from byteOffset: Int) -> Errno? {
        var filled = 0
        while filled < buffer.count {
            let count = pread(
                descriptor,
                buffer.baseAddress! + filled,
                buffer.count - filled,
                byteOffset + filled
            )
            if count > 0 {
                filled += count
            } else if count == 0 || errno != EINTR {
                // A file that ends early was cut by somebody else.
                return count == 0 ? .ioError : Errno(rawValue: errno)
            }
        }
        return nil
    }
}
