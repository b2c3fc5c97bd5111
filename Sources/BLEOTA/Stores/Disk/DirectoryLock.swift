import Glibc
import SystemPackage

/// Keeps other processes, and other stores of this one, out of a directory as long as it lives.
///
/// The lock goes with the process however it ends; the file `lock` that carries it may stay.
final class DirectoryLock: Sendable {
    private let directory: FilePath
    private let path: FilePath
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
        path = directory.appending(StoreForm.lock)
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
            if Self.isSameFile(descriptor, path, on: disk) {
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
        if removesDirectory, disk.names(in: directory) == [StoreForm.lock] {
            try? disk.removeFile(path)
            try? disk.removeDirectory(directory)
        }
        close(descriptor)
    }

    private static func open(_ path: FilePath, on disk: Disk) throws(StoreError) -> CInt {
        if let kind = disk.kind(of: path) {
            guard kind == .file else { throw .notOfTheStore(path) }
            return try disk.openFile(path, writable: true)
        }
        do throws(StoreError) {
            return try disk.createFile(path)
        } catch {
            // Another process was faster.
            guard error.errno == .fileExists else { throw error }
            return try disk.openFile(path, writable: true)
        }
    }

    /// Whether the file that carries the lock is still where another process would look for it.
    var isHeld: Bool { Self.isSameFile(descriptor, path, on: disk) }

    private static func isSameFile(_ descriptor: CInt, _ path: FilePath, on disk: Disk) -> Bool {
        var ours = stat()
        var there = stat()
        return fstat(descriptor, &ours) == 0
            && disk.at(path) { fstatat($0, $1, &there, AT_SYMLINK_NOFOLLOW) } == nil
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
    }
}
