import Glibc
import SystemPackage

/// Queries of the file system. Only ``touch(_:)`` changes anything, namely a modification time.
extension Disk {
    enum Kind { case file, directory, link, other }

    /// The kind of the file at `path`; `nil` if there is none or it can't be examined.
    func kind(of path: FilePath, followingLinks: Bool = false) -> Kind? {
        status(of: path, followingLinks: followingLinks).map(Self.kind)
    }

    private static func kind(_ status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .link
        default: .other
        }
    }

    /// The kind and the permissions (the low nine bits of the mode) of the file at `path`.
    func kindAndMode(of path: FilePath) -> (kind: Kind, mode: UInt32)? {
        status(of: path).map { (Self.kind($0), $0.st_mode & 0o777) }
    }

    /// Throws if the file at `path` belongs to another user, who could change its content at any
    /// time. Root is trusted.
    func requireOwner(of path: FilePath) throws(StoreError) {
        try require(status(of: path)?.st_uid, path)
    }

    /// Throws if the held directory belongs to another user. Root is trusted.
    func requireOwnerOfHeldDirectory() throws(StoreError) {
        guard let root else { return }
        try require(root.user, root.path)
    }

    private func require(_ user: uid_t?, _ path: FilePath) throws(StoreError) {
        guard let user, user != 0, user != geteuid() else { return }
        throw .ofAnotherUser(path, user)
    }

    /// The length of the file at `path`; `nil` if there is no regular file.
    func fileByteCount(of path: FilePath) -> Int? {
        guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The number of bytes that the file at `path` occupies on the disk, and how many more its
    /// length allows; zeros if there is no regular file.
    func room(of path: FilePath) -> (taken: Int, promised: Int) {
        guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else {
            return (0, 0)
        }
        let taken = Int(status.st_blocks) * 512
        return (taken, max(0, Int(status.st_size) - taken))
    }

    /// The modification time of `path`, in nanoseconds since 1970; 0 if nothing is there.
    func modificationTime(of path: FilePath) -> Int {
        guard let time = status(of: path)?.st_mtim else { return 0 }
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Records that `path` was used now. Errors are ignored, because only the choice of the
    /// oldest path depends on this time.
    func touch(_ path: FilePath) {
        _ = at(path) { utimensat($0, $1, nil, AT_SYMLINK_NOFOLLOW) }
    }

    /// The target of the link at `path`; `nil` if there is no link.
    func linkTarget(of path: FilePath) -> FilePath? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            var count = -1
            let errno = at(path) {
                count = readlinkat($0, $1, buffer.baseAddress!, buffer.count - 1)
                return count < 0 ? -1 : 0
            }
            guard errno == nil else { return nil }
            buffer[count] = 0
            return FilePath(platformString: buffer.baseAddress!)
        }
    }

    /// The names in a directory, sorted, without `.` and `..`; empty if the directory can't be
    /// read.
    func names(in path: FilePath) -> [FilePath.Component] { (try? list(path)) ?? [] }

    /// The same names as ``names(in:)``. Throws if the directory can't be read.
    func list(_ path: FilePath) throws(StoreError) -> [FilePath.Component] {
        let (descriptor, errno) = openDirectory(path)
        if let errno { throw failure(errno, to: "list the directory", path) }
        guard let directory = fdopendir(descriptor) else {
            close(descriptor)
            throw failure(.noMemory, to: "list the directory", path)
        }
        defer { closedir(directory) }
        var names: [FilePath.Component] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    FilePath.Component(platformString: $0)
                }
            }
            if let name, name.kind == .regular { names.append(name) }
        }
        return names.sorted { $0.string < $1.string }
    }

    private func status(of path: FilePath, followingLinks: Bool = false) -> stat? {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        return at(path) { fstatat($0, $1, &status, flags) } == nil ? status : nil
    }

    // MARK: - Space

    /// Throws `noSpace` unless `byteCount` bytes are free for `path`. Changes nothing.
    func requireSpace(_ byteCount: Int, for path: FilePath) throws(StoreError) {
        let bytesFree = bytesFree(near: path)
        if bytesFree < UInt64(byteCount) { throw .noSpace(path, bytesFree: bytesFree) }
    }

    /// The number of bytes that this user may still write to the file system of `path`, or of its
    /// nearest ancestor that exists.
    func bytesFree(near path: FilePath) -> UInt64 {
        var place = path
        var status = statvfs()
        while place.withPlatformString({ path in Errno.of { statvfs(path, &status) } }) != nil {
            guard place.removeLastComponent() else { return 0 }
            if place.isEmpty { place = "." }
        }
        let (byteCount, isTooMany) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooMany ? .max : byteCount
    }
}
