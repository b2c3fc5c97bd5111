import Glibc
import SystemPackage

/// Keeps other processes, and other stores of this one, out of a directory as long as it lives.
///
/// The lock goes with the process however it ends; the file `lock` that carries it may stay.
final class DirectoryLock {
    private let directory: FilePath
    private let disk: Disk
    private let removesDirectory: Bool
    private let descriptor: CInt

    /// Makes the directory if it is not there, and locks it.
    ///
    /// - Parameter removesDirectory: whether the directory goes with the lock if nothing else is
    ///   in it.
    init(_ directory: FilePath, removesDirectory: Bool, on disk: Disk) throws(StoreError) {
        self.directory = directory
        self.disk = disk
        self.removesDirectory = removesDirectory
        let path = directory.appending("lock")
        // Who held the lock before may remove the file between our opening and locking it; what
        // we locked is then nobody's any more and we begin again. Each round another process
        // ended, so that a few rounds are plenty.
        for _ in 0..<8 {
            try disk.makeDirectory(directory)
            let descriptor: CInt
            do throws(StoreError) {
                descriptor = try Self.open(path, on: disk)
            } catch {
                if error.errno == .noSuchFileOrDirectory { continue }
                throw error
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let errno = Errno(rawValue: errno)
                close(descriptor)
                if errno == .wouldBlock { throw .heldByAnotherProcess(directory) }
                throw disk.failure(errno, to: "lock", path)
            }
            if Self.isSameFile(descriptor, path) {
                self.descriptor = descriptor
                try synchronizeParent()
                return
            }
            close(descriptor)
        }
        throw .heldByAnotherProcess(directory)
    }

    /// Makes the directory's own name durable, also when it was there: who made it may have been
    /// stopped before this. A parent that can't be read can't be synchronised, and is trusted.
    private func synchronizeParent() throws(StoreError) {
        let parent = directory.removingLastComponent()
        do throws(StoreError) {
            try disk.synchronizeDirectory(parent.isEmpty ? "." : parent)
        } catch {
            if error.errno != .permissionDenied { throw error }
        }
    }

    deinit {
        // While the lock still is ours.
        if removesDirectory, disk.names(in: directory).map(\.string) == ["lock"] {
            try? disk.removeFile(directory.appending("lock"))
            try? disk.removeDirectory(directory)
        }
        close(descriptor)
    }

    private static func open(_ path: FilePath, on disk: Disk) throws(StoreError) -> CInt {
        let isThere = disk.kind(of: path) != nil
        var descriptor: CInt = -1
        let call = {
            path.withPlatformString { name in
                Errno.of {
                    descriptor = Glibc.open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
                    return descriptor
                }
            }
        }
        if !isThere {
            try disk.make(.createFile(path), to: "create", path, call: call)
        } else if let errno = call() {
            throw disk.failure(errno, to: "open", path)
        }
        return descriptor
    }

    private static func isSameFile(_ descriptor: CInt, _ path: FilePath) -> Bool {
        var ours = stat()
        var there = stat()
        return fstat(descriptor, &ours) == 0
            && path.withPlatformString { lstat($0, &there) } == 0
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
    }
}
