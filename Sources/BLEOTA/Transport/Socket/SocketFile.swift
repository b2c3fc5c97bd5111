import Glibc
import SystemPackage

/// The file of a listening socket. Only one process at a time can claim it, and that process
/// removes it at the end.
struct SocketFile: Sendable {
    private let address: SocketAddress
    /// Two numbers that identify the file, so that a later file at the same path is never removed.
    private let device: dev_t
    private let inode: ino_t

    /// Binds `descriptor` to the address and makes it listen.
    ///
    /// A socket file at which no process is listening was left by a process that was killed, and is
    /// replaced. Two processes that find it at the same time must not both replace it, because the
    /// second would remove the first one's socket. The lock on the directory prevents that.
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

    /// Removes the file, unless another file has taken its place.
    func remove() {
        guard let status = Self.status(of: address.path), status.st_dev == device,
            status.st_ino == inode
        else { return }
        _ = address.path.withPlatformString { path in unlink(path) }
    }

    /// The number of peers that may wait in the kernel to be accepted. Waiting peers cost this
    /// process nothing, and peers that arrive when the queue is full are turned away. At 0.1 ms per
    /// peer, the last one waits for a tenth of a second.
    private static let backlogCount: Int32 = 1_024

    /// Whether the path names an existing file that is not a socket.
    static func isOtherFile(_ path: FilePath) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT != S_IFSOCK } ?? false
    }

    private static func removeIfStale(_ address: SocketAddress) throws(SocketError) {
        let path = address.path
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = try SocketCalls.makeSocket()
        defer { _ = Glibc.close(probe) }
        // Any other result means that a process is listening there, or that this can't be
        // determined.
        guard address.connect(probe) == .connectionRefused else { throw .pathTaken(path) }
        if path.withPlatformString({ path in unlink(path) }) != 0 {
            throw .system(call: "unlink", SocketCalls.lastErrno)
        }
    }

    /// Locks out other listeners that start in the same directory. A listener holds the lock only
    /// for the duration of several system calls. A process that holds it longer is not such a
    /// listener, and may belong to another user of a shared directory. Such a process must not keep
    /// this process from listening, so after two seconds this process continues without the lock.
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

    /// Two seconds in total.
    private static let lockAttemptCountMax = 400
    private static let lockPauseMicroseconds: UInt32 = 5_000

    private static func status(of path: FilePath) -> stat? {
        var status = stat()
        return path.withPlatformString { path in lstat(path, &status) } == 0 ? status : nil
    }
}
