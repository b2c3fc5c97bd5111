import Glibc
import SystemPackage

/// Keeps other processes, and other stores in this process, out of a directory for as long as
/// the lock exists.
///
/// The lock is released when its process ends, however the process ends. The lock file may remain.
final class DirectoryLock: Sendable {
    private let directory: FilePath
    private let path: FilePath
    private let disk: Disk
    private let removesDirectory: Bool
    private let descriptor: CInt

    /// Locks a directory, which is created if it doesn't exist.
    ///
    /// - Parameter removesDirectory: whether to remove the directory along with the lock if nothing
    ///   else is in it.
    init(_ directory: FilePath, removesDirectory: Bool, on disk: Disk) throws(StoreError) {
        self.directory = directory
        self.disk = disk
        self.removesDirectory = removesDirectory
        path = directory.appending(StoreForm.lock)
        // The previous holder may remove the file after it is opened here and before it is locked.
        // No other process could then find the locked file, so try again. Each retry means that
        // another process has ended, so a few are plenty.
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

    /// Makes the directory's name durable, even if the directory already existed: the process
    /// that created it may have been stopped before this step. A parent that can't be read can't
    /// be synchronized either, so its names are assumed to be durable.
    private func synchronizeParent() throws(StoreError) {
        let parent = directory.removingLastComponent()
        do throws(StoreError) {
            try disk.synchronizeDirectory(parent.isEmpty ? "." : parent)
        } catch {
            if error.errno != .permissionDenied { throw error }
        }
    }

    deinit {
        // Clean up while the lock is still held.
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
            // Another process created the file first.
            guard error.errno == .fileExists else { throw error }
            return try disk.openFile(path, writable: true)
        }
    }

    /// Whether the locked file is still the one that another process would open.
    var isHeld: Bool { Self.isSameFile(descriptor, path, on: disk) }

    private static func isSameFile(_ descriptor: CInt, _ path: FilePath, on disk: Disk) -> Bool {
        var ours = stat()
        var there = stat()
        return fstat(descriptor, &ours) == 0
            && disk.at(path) { fstatat($0, $1, &there, AT_SYMLINK_NOFOLLOW) } == nil
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
    }
}
