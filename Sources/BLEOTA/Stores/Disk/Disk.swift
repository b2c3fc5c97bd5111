import Glibc
import SystemPackage

/// The file system as the stores use it. Every change is announced to a hook, every failure has a
/// description, and no link below the ``HeldDirectory`` is followed.
struct Disk: Sendable {
    /// The users that may read and write new files and directories.
    enum Access: Sendable {
        /// Only this user, regardless of the umask.
        case ownerOnly
        /// For files, everyone whom the umask allows; for directories, only this user.
        case byUmask
    }

    private let willMake: StepHook?
    private let access: Access
    /// The held directory. Paths below it are reached without following links. Other paths are used
    /// unchanged; the only such path that a store uses is the path of its parent directory.
    let root: HeldDirectory?

    init(willMake: StepHook? = nil) {
        self.init(willMake, .ownerOnly, nil)
    }

    private init(_ willMake: StepHook?, _ access: Access, _ root: HeldDirectory?) {
        self.willMake = willMake
        self.access = access
        self.root = root
    }

    /// Returns the same disk, with `directory` as the held directory.
    func holding(_ directory: FilePath, _ access: Access = .ownerOnly) throws(StoreError) -> Disk {
        do throws(Errno) {
            return Disk(willMake, access, try HeldDirectory(directory))
        } catch {
            throw failure(error, to: "open the directory", directory)
        }
    }

    /// Announces `step`, then performs it with `call`, which returns the error of the system call.
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

    /// Creates one directory, unless it exists.
    func makeDirectory(_ path: FilePath) throws(StoreError) {
        guard kind(of: path) != .directory else { return }
        try make(.makeDirectory(path), to: "make the directory", path) {
            at(path) { directory, name in
                guard mkdirat(directory, name, 0o700) == 0 else { return -1 }
                // The umask may have removed this user's permissions, too.
                return fchmodat(directory, name, 0o700, 0)
            }
        }
    }

    func rename(_ path: FilePath, to target: FilePath) throws(StoreError) {
        try make(.rename(path, to: target), to: "replace \(target) with", path) {
            at(path) { directory, name in
                let failure = at(target) { renameat(directory, name, $0, $1) }
                errno = failure?.rawValue ?? 0
                return failure == nil ? 0 : -1
            }
        }
    }

    /// Creates or replaces the symbolic link at `path` in one atomic step.
    ///
    /// - Parameter writer: the extension of the temporary link. Concurrent writers need
    ///   different extensions.
    func replaceLink(
        _ path: FilePath,
        target: FilePath,
        writer: String = "new"
    ) throws(StoreError) {
        var new = path
        new.extension = writer
        // If anything but a link is there, it is not the store's, and the store must not replace
        // it.
        for place in [new, path] {
            guard let kind = kind(of: place), kind != .link else { continue }
            throw failure(.fileExists, to: "replace the unexpected file at", place)
        }
        try removeFile(new)
        try make(.makeLink(new, target: target), to: "make the link", new) {
            at(new) { directory, name in
                target.withPlatformString { symlinkat($0, directory, name) }
            }
        }
        try rename(new, to: path)
    }

    /// Removes a file or a link, if it exists.
    func removeFile(_ path: FilePath) throws(StoreError) {
        guard kind(of: path) != nil else { return }
        try make(.removeFile(path), to: "remove", path) { at(path) { unlinkat($0, $1, 0) } }
    }

    /// Removes an empty directory.
    func removeDirectory(_ path: FilePath) throws(StoreError) {
        try make(.removeDirectory(path), to: "remove the directory", path) {
            at(path) { unlinkat($0, $1, AT_REMOVEDIR) }
        }
    }

    /// Makes the names in a directory durable.
    func synchronizeDirectory(_ path: FilePath) throws(StoreError) {
        try make(.synchronizeDirectory(path), to: "sync the directory", path) {
            let (descriptor, errno) = openDirectory(path)
            guard errno == nil else { return errno }
            defer { close(descriptor) }
            return Errno.of { fsync(descriptor) }
        }
    }

    /// Sets a mode that shuts other users out. If this user is not permitted to change the mode,
    /// because another user owns the file or the file system has no modes, the mode stays
    /// unchanged.
    func setMode(_ path: FilePath, _ mode: mode_t) throws(StoreError) {
        try make(.setMode(path, mode: mode), to: "restrict access to", path) {
            let errno = at(path) { fchmodat($0, $1, mode, 0) }
            return errno == .notPermitted ? nil : errno
        }
    }

    // MARK: - Files

    /// Creates an empty file and opens it. The file must not exist.
    func createFile(_ path: FilePath) throws(StoreError) -> CInt {
        var descriptor: CInt = -1
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        try make(.createFile(path), to: "create", path) {
            if let errno = at(
                path,
                { directory, name in
                    descriptor = openat(
                        directory,
                        name,
                        flags,
                        access == .ownerOnly ? 0o600 : 0o666
                    )
                    return descriptor
                }
            ) {
                return errno
            }
            // The umask may have removed this user's permissions, too. A failure is ignored: a file
            // system without modes may report one, and needs no mode.
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return Errno(rawValue: errno) }
            let mode = access == .ownerOnly ? 0o600 : status.st_mode & 0o777 | 0o600
            if status.st_mode & 0o777 != mode { _ = fchmod(descriptor, mode) }
            return nil
        }
        return descriptor
    }

    /// Opens an existing file. It must be a regular file: neither a link nor a FIFO, which would
    /// make the caller wait for another process.
    func openFile(_ path: FilePath, writable: Bool) throws(StoreError) -> CInt {
        let flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var descriptor: CInt = -1
        var errno: Errno? = .invalidArgument
        if [.file, nil].contains(kind(of: path)) {
            errno = at(path) {
                descriptor = openat($0, $1, flags)
                return descriptor
            }
        }
        if let errno { throw failure(errno, to: "open", path) }
        return descriptor
    }

    /// Calls `body` with the directory that contains `path` and with the name in that directory;
    /// returns the error, if any.
    func at(_ path: FilePath, _ body: (CInt, UnsafePointer<CChar>) -> CInt) -> Errno? {
        guard let root, let names = root.names(to: path) else {
            return path.withPlatformString { path in Errno.of { body(AT_FDCWD, path) } }
        }
        do throws(Errno) {
            let (directory, name) = try root.parent(ofNames: names)
            return withExtendedLifetime(directory) {
                name.withUnsafeBufferPointer { name in
                    Errno.of { body(directory.number, name.baseAddress!) }
                }
            }
        } catch {
            return error
        }
    }

    /// Opens a directory to list it or to make its names durable.
    func openDirectory(_ path: FilePath) -> (descriptor: CInt, errno: Errno?) {
        let isBelow = root?.names(to: path) != nil
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isBelow ? O_NOFOLLOW : 0)
        var descriptor: CInt = -1
        let errno = at(path) {
            descriptor = openat($0, $1, flags)
            return descriptor
        }
        return (descriptor, errno)
    }
}

extension Errno {
    /// The error of a system call that returns −1 on failure. A call that was interrupted is
    /// repeated.
    static func of(_ call: () -> CInt) -> Errno? {
        while call() < 0 {
            let errno = Errno(rawValue: errno)
            if errno != .interrupted { return errno }
        }
        return nil
    }
}
