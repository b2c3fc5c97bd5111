import Glibc
import SystemPackage

/// An open file. It is closed once nothing refers to it and its last flush has ended.
final class DiskFile {
    /// The path of the file when it was opened.
    let path: FilePath
    private let disk: Disk
    private let owner: FileDescriptorOwner
    private var descriptor: CInt { owner.number }

    /// The failure after which it is unknown which bytes of the file are durable.
    ///
    /// After a failed fsync, the system marks the pages that it could not write as clean, so a
    /// second fsync succeeds without having written them. The first failure therefore stays in
    /// effect until the file is reopened and read back.
    private var lostTrack: StoreError?

    /// The number of bytes to reserve ahead of the written ones. A peer that announces an image can
    /// therefore take no more space than this in addition to the bytes it sends. At 200 kB/s, the
    /// highest rate reached over Bluetooth LE, this reservation costs one system call every five
    /// seconds.
    private static let reservedAheadByteCount = 1 << 20

    /// The part of the file for which space has been reserved since it was opened.
    private var reserved = 0..<0
    private var reservableByteCount: Int

    private init(path: FilePath, byteCount: Int, disk: Disk, descriptor: CInt) {
        self.path = path
        self.disk = disk
        reservableByteCount = byteCount
        owner = FileDescriptorOwner(descriptor)
    }

    /// Creates a file of `byteCount` zero bytes, and reserves space for at most the first MiB.
    ///
    /// Leaves no file behind if there is no space.
    static func create(
        _ path: FilePath,
        byteCount: Int,
        on disk: Disk
    ) throws(StoreError) -> DiskFile {
        let descriptor = try disk.createFile(path)
        let file = DiskFile(path: path, byteCount: byteCount, disk: disk, descriptor: descriptor)
        do throws(StoreError) {
            try disk.make(.setLength(path, byteCount: byteCount), to: "make", path) {
                Errno.of { ftruncate(descriptor, byteCount) }
            }
            try file.reserve(0..<0)
        } catch {
            try? disk.removeFile(path)
            throw error
        }
        return file
    }

    /// Creates a nameless file of `byteCount` zero bytes, which ceases to exist when it is closed.
    /// The file is in the directory that TMPDIR names or, if TMPDIR is not set, in `/var/tmp`,
    /// which is on a disk.
    static func scratch(byteCount: Int, on disk: Disk) throws(StoreError) -> DiskFile {
        let directory = getenv("TMPDIR").map { FilePath(platformString: $0) } ?? "/var/tmp"
        let path = directory.appending("bleota-XXXXXX")
        try disk.requireSpace(byteCount, for: path)
        var descriptor: CInt = -1
        try disk.make(.createFile(path), to: "create", path) {
            var template = Array(path.withPlatformString { String(cString: $0) }.utf8CString)
            return template.withUnsafeMutableBufferPointer { template in
                descriptor = mkstemp(template.baseAddress!)
                guard descriptor >= 0 else { return Errno(rawValue: errno) }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                unlink(template.baseAddress!)
                return Errno.of { ftruncate(descriptor, byteCount) }
            }
        }
        return DiskFile(path: path, byteCount: byteCount, disk: disk, descriptor: descriptor)
    }

    /// Reads the whole image that a patch may be based on; `nil` if there is none or it is too
    /// long.
    static func base(_ path: FilePath, on disk: Disk) throws(StoreError) -> [UInt8]? {
        guard let byteCount = disk.fileByteCount(of: path),
            byteCount <= ImageDecoder.inMemoryByteCountMax
        else { return nil }
        return try open(path, on: disk, writable: false).read(0..<byteCount)
    }

    /// Opens an existing file.
    static func open(
        _ path: FilePath,
        on disk: Disk,
        writable: Bool = true
    ) throws(StoreError) -> DiskFile {
        let descriptor = try disk.openFile(path, writable: writable)
        let file = DiskFile(path: path, byteCount: 0, disk: disk, descriptor: descriptor)
        file.reservableByteCount = try file.byteCount()
        return file
    }

    /// Reserves space for the bytes about to be written and for the bytes after them, so that not
    /// every block costs another system call.
    private func reserve(_ range: Range<Int>) throws(StoreError) {
        guard range.isEmpty || !reserved.contains(range) else { return }
        let goesOn =
            reserved.lowerBound <= range.lowerBound
            && range.lowerBound <= reserved.upperBound
        let start = goesOn ? reserved.upperBound : range.lowerBound
        let ahead = max(range.upperBound, start + Self.reservedAheadByteCount)
        let end = min(reservableByteCount, ahead)
        guard start < end else { return }
        try disk.make(.reserve(path, start..<end), to: "reserve space for", path) {
            var code: CInt
            repeat {
                code = posix_fallocate(descriptor, start, end - start)
            } while code == EINTR
            // Some file systems can't reserve space. There, a full disk shows up when a block is
            // written.
            return [0, EOPNOTSUPP, EINVAL].contains(code) ? nil : Errno(rawValue: code)
        }
        reserved = (goesOn ? reserved.lowerBound : start)..<end
    }

    // MARK: - Writing

    func write(_ bytes: [UInt8], at byteOffset: Int) throws(StoreError) {
        if let lostTrack { throw lostTrack }
        try reserve(byteOffset..<byteOffset + bytes.count)
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

    /// Makes the file's content and length durable.
    func synchronize() throws(StoreError) {
        try synchronize { Errno.of { fdatasync(self.descriptor) } }
    }

    /// Returns a flush that makes the content and length durable while the caller continues to
    /// write. If the flush fails, the caller reports the error to ``flushFailed(_:)``.
    func flush() throws(StoreError) -> FileFlush {
        if let lostTrack { throw lostTrack }
        return FileFlush { [disk, path, owner] in
            do throws(StoreError) {
                try disk.make(.synchronize(path), to: "sync", path) {
                    Errno.of { fdatasync(owner.number) }
                }
                return nil
            } catch {
                return error
            }
        }
    }

    func flushFailed(_ error: StoreError) { lostTrack = error }

    /// Makes the file durable and drops its pages from memory, so that the next reads come from the
    /// disk.
    func synchronizeAndForget() throws(StoreError) {
        try synchronize { Errno.of { fsync(self.descriptor) } }
        // This is only advice: a file system that keeps the pages returns the bytes that were
        // written.
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    private func synchronize(_ call: () -> Errno?) throws(StoreError) {
        if let lostTrack { throw lostTrack }
        do throws(StoreError) {
            try disk.make(.synchronize(path), to: "sync", path, call: call)
        } catch {
            lostTrack = error
            throw error
        }
    }

    // MARK: - Reading

    func byteCount() throws(StoreError) -> Int {
        var status = stat()
        if let errno = Errno.of({ fstat(descriptor, &status) }) {
            throw disk.failure(errno, to: "inspect", path)
        }
        return Int(status.st_size)
    }

    /// Returns the bytes in `range`, which must be within the file.
    func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            failure = fill(UnsafeMutableRawBufferPointer(buffer), from: range.lowerBound)
            count = failure == nil ? range.count : 0
        }
        if let failure { throw disk.failure(failure, to: "read", path) }
        return bytes
    }

    /// The first offset at or after `byteOffset` with written data; `nil` if there is none.
    func nextData(from byteOffset: Int) -> Int? {
        // The value of SEEK_DATA, which the C library declares only if its extensions are
        // enabled.
        let data = lseek(descriptor, byteOffset, 3)
        if data >= 0 { return data }
        // If the file system can't find holes, everything counts as written.
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
                hasher.update(UnsafeRawBufferPointer(rebasing: piece))
            }
        }
        if let failure { throw disk.failure(failure, to: "read", path) }
        return hasher.digest
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
                // The file ends early: another process has truncated it.
                return count == 0 ? .ioError : Errno(rawValue: errno)
            }
        }
        return nil
    }
}
