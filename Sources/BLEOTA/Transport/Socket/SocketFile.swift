import Glibc
import SystemPackage

/// The file of a listening socket: claimed against other processes, removed at the end.
struct SocketFile: Sendable {
    private let address: SocketAddress
    /// Which file it is, so that a later one at the same path is never removed.
    private let device: dev_t
    private let inode: ino_t

    /// Binds `descriptor` to the address and lets it listen.
    ///
    /// A socket file that nobody listens at was left by a process that was killed, and is
    /// replaced. Two processes that find it at the same time must not both do so (the second
    /// would remove the socket of the first), hence the lock on the directory.
    static func claim(
        _ address: SocketAddress,
        for descriptor: Int32
    ) throws(SocketError) -> SocketFile {
        let directory = try lockDirectory(of: address.path)
        defer { _ = Glibc.close(directory) }
        if let errno = address.bind(descriptor) {
            guard errno == .addressInUse else { throw .system(call: "bind", errno) }
            try removeIfStale(address)
            if let errno = address.bind(descriptor) { throw .system(call: "bind", errno) }
        }
        if listen(descriptor, backlogCount) != 0 {
            throw .system(call: "listen", SocketCalls.lastErrno)
        }
        guard let status = status(of: address.path) else {
            throw .system(call: "lstat", SocketCalls.lastErrno)
        }
        return SocketFile(address: address, device: status.st_dev, inode: status.st_ino)
    }

    /// Removes the file, unless it is another one by now.
    func remove() {
        guard let status = Self.status(of: address.path), status.st_dev == device,
            status.st_ino == inode
        else { return }
        _ = address.path.withPlatformString { path in unlink(path) }
    }

    /// Peers that may wait in the kernel to be accepted. They cost this process nothing, and who
    /// comes when the queue is full is turned away; at 0.1 ms for each the last waits a tenth of a
    /// second.
    private static let backlogCount: Int32 = 1_024

    private static func removeIfStale(_ address: SocketAddress) throws(SocketError) {
        let path = address.path
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = try SocketCalls.makeSocket()
        defer { _ = Glibc.close(probe) }
        // Every other outcome means that somebody is there, or that we can't know.
        guard address.connect(probe) == .connectionRefused else { throw .pathTaken(path) }
        if path.withPlatformString({ path in unlink(path) }) != 0 {
            throw .system(call: "unlink", SocketCalls.lastErrno)
        }
    }

    /// Locks out other listeners that start in the same directory. They hold the lock for some
    /// system calls only. Whoever holds it longer is not one of them, may be another user's process
    /// in a directory that all share, and does not keep this one from going on without the lock.
    private static func lockDirectory(of path: FilePath) throws(SocketError) -> Int32 {
        let parent = path.removingLastComponent()
        let directory = (parent.isEmpty ? "." : parent).withPlatformString { path in
            open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        if directory < 0 { throw .system(call: "open", SocketCalls.lastErrno) }
        for _ in 0..<lockAttemptCountMax {
            guard flock(directory, LOCK_EX | LOCK_NB) != 0 else { break }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                let errno = SocketCalls.lastErrno
                _ = Glibc.close(directory)
                throw .system(call: "flock", errno)
            }
            usleep(lockPauseMicroseconds)
        }
        return directory
    }

    /// Two seconds together.
    private static let lockAttemptCountMax = 400
    private static let lockPauseMicroseconds: UInt32 = 5_000

    private static func status(of path: FilePath) -> stat? {
        var status = stat()
        return path.withPlatformString { path in lstat(path, &status) } == 0 ? status : nil
    }
}
