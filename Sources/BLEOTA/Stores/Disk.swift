import Glibc
import SystemPackage

/// The file system as the stores use it: every change is announced, every failure is a sentence.
struct Disk: Sendable {
    private let willMake: StepHook?

    init(willMake: StepHook? = nil) {
        self.willMake = willMake
    }

    /// Announces `step` and makes it with `call`, which returns the error of the system call.
    func make(
        _ step: DiskStep,
        to action: String,
        _ path: FilePath,
        call: () -> Errno?
    ) throws(StoreError) {
        do throws(Errno) {
            try willMake?(step)
        } catch {
            throw failure(error, to: action, path)
        }
        if let errno = call() { throw failure(errno, to: action, path) }
    }

    func failure(_ errno: Errno, to action: String, _ path: FilePath) -> StoreError {
        .failed(errno, to: action, path) { bytesFree(near: path) }
    }

    // MARK: - Names

    /// Makes one directory, if it is not there.
    func makeDirectory(_ path: FilePath) throws(StoreError) {
        guard kind(of: path, followingLinks: true) != .directory else { return }
        try make(.makeDirectory(path), to: "make the directory", path) {
            path.call { mkdir($0, 0o777) }
        }
    }

    func rename(_ path: FilePath, to target: FilePath) throws(StoreError) {
        try make(.rename(path, to: target), to: "rename to \(target) the file", path) {
            path.call { path in target.withPlatformString { Glibc.rename(path, $0) } }
        }
    }

    /// Replaces the symbolic link at `path`, or makes it, in one atomic step.
    ///
    /// - Parameter writer: who else may do it at the same time has another name.
    func replaceLink(
        _ path: FilePath,
        target: FilePath,
        writer: String = "new"
    ) throws(StoreError) {
        var new = path
        new.extension = writer
        try removeFile(new)
        try make(.makeLink(new, target: target), to: "make the link", new) {
            new.call { new in target.withPlatformString { symlink($0, new) } }
        }
        try rename(new, to: path)
    }

    /// Removes a file or a link, if it is there.
    func removeFile(_ path: FilePath) throws(StoreError) {
        guard kind(of: path) != nil else { return }
        try make(.removeFile(path), to: "remove", path) { path.call(unlink) }
    }

    func removeDirectory(_ path: FilePath) throws(StoreError) {
        try make(.removeDirectory(path), to: "remove the directory", path) { path.call(rmdir) }
    }

    /// Makes the names in a directory durable.
    func synchronizeDirectory(_ path: FilePath) throws(StoreError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        try make(.synchronizeDirectory(path), to: "make durable the directory", path) {
            path.withPlatformString { name in
                let descriptor = Glibc.open(name, flags)
                guard descriptor >= 0 else { return Errno(rawValue: errno) }
                defer { close(descriptor) }
                return Errno.of { fsync(descriptor) }
            }
        }
    }

    // MARK: - Looking

    enum Kind { case file, directory, link, other }

    /// What is at `path`; `nil` if nothing is or it can't be seen.
    func kind(of path: FilePath, followingLinks: Bool = false) -> Kind? {
        guard let status = status(of: path, followingLinks: followingLinks) else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .link
        default: .other
        }
    }

    /// The length of the file at `path`; `nil` if no file is there.
    func fileByteCount(of path: FilePath) -> Int? {
        guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// When `path` was last changed, in nanoseconds; 0 if it is gone.
    func changeTime(of path: FilePath) -> Int {
        guard let time = status(of: path)?.st_mtim else { return 0 }
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Says that `path` was used now. Only the choice of what is oldest depends on it, so that a
    /// failure is of no consequence.
    func touch(_ path: FilePath) {
        _ = path.call { utimensat(AT_FDCWD, $0, nil, 0) }
    }

    /// Where the link at `path` leads; `nil` if there is no link.
    func linkTarget(of path: FilePath) -> FilePath? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let count = path.withPlatformString {
                readlink($0, buffer.baseAddress!, buffer.count - 1)
            }
            guard count >= 0 else { return nil }
            buffer[count] = 0
            return FilePath(platformString: buffer.baseAddress!)
        }
    }

    /// The names in a directory, sorted, without `.` and `..`; none if it can't be read.
    func names(in path: FilePath) -> [FilePath.Component] {
        guard let directory = path.withPlatformString(opendir) else { return [] }
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
        let errno = path.call { followingLinks ? stat($0, &status) : lstat($0, &status) }
        return errno == nil ? status : nil
    }

    // MARK: - Space

    /// Throws `noSpace` unless `byteCount` bytes are free for `path`, before anything is touched.
    func requireSpace(_ byteCount: Int, for path: FilePath) throws(StoreError) {
        let bytesFree = bytesFree(near: path)
        if bytesFree < UInt64(byteCount) { throw .noSpace(path, bytesFree: bytesFree) }
    }

    /// What this user may still write on the file system of `path`, or of the nearest directory
    /// above it that exists.
    private func bytesFree(near path: FilePath) -> UInt64 {
        var place = path
        var status = statvfs()
        while place.call({ statvfs($0, &status) }) != nil {
            guard place.removeLastComponent() else { return 0 }
            if place.isEmpty { place = "." }
        }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}

extension Errno {
    /// The error of a system call that returns −1 for one; a call that was interrupted is repeated.
    static func of(_ call: () -> CInt) -> Errno? {
        while call() < 0 {
            let errno = Errno(rawValue: errno)
            if errno != .interrupted { return errno }
        }
        return nil
    }
}

extension FilePath {
    /// The error of a system call on this path.
    fileprivate func call(_ body: (UnsafePointer<CChar>) -> CInt) -> Errno? {
        withPlatformString { path in Errno.of { body(path) } }
    }
}
