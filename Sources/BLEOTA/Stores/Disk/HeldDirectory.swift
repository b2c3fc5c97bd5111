import Glibc
import SystemPackage

/// A directory that is held open, and the names below it, on the way to which no link is followed.
///
/// Each directory on the way is opened by its name in the one before, and only if it is one. So
/// whoever puts a link in its place, at whatever moment, gets an error instead of what the link
/// leads to. The directory itself may be reached by links: its user names it.
final class HeldDirectory: Sendable {
    /// A name in a directory, with the zero byte that ends it.
    typealias Name = [CChar]

    private static let separator = CChar(bitPattern: UInt8(ascii: "/"))
    private static let dot = CChar(bitPattern: UInt8(ascii: "."))

    /// As its user named it; empty for the working directory.
    let path: FilePath
    private let owner: FileDescriptorOwner

    /// What Linux calls O_PATH, which the C library shows only with its extensions: opens a
    /// directory to name what is in it, which needs no right to list it.
    private static let pathOnly: CInt = 0o10_000_000

    init(_ path: FilePath) throws(Errno) {
        self.path = path
        let descriptor = (path.isEmpty ? FilePath(".") : path).withPlatformString {
            Glibc.open($0, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        owner = FileDescriptorOwner(descriptor)
    }

    /// The user whom the directory belongs to.
    var user: uid_t? {
        var status = stat()
        return fstat(owner.number, &status) == 0 ? status.st_uid : nil
    }

    /// Whether `path` still leads to this directory: it may have been removed, replaced or
    /// unmounted.
    var isWhereItWas: Bool {
        var ours = stat()
        var there = stat()
        let place = path.isEmpty ? FilePath(".") : path
        return fstat(owner.number, &ours) == 0
            && place.withPlatformString { stat($0, &there) } == 0
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
    }

    /// The names that lead to a path from here; `nil` where it is not below this directory.
    ///
    /// Each access to a store asks this, so that it compares bytes: `FilePath` takes a path apart
    /// a hundred times slower.
    func names(to path: FilePath) -> [Name]? {
        self.path.withPlatformString { prefix in
            path.withPlatformString { path in
                let prefix = UnsafeBufferPointer(start: prefix, count: strlen(prefix))
                let path = UnsafeBufferPointer(start: path, count: strlen(path))
                guard path.starts(with: prefix) else { return nil }
                let rest = path[prefix.count...]
                // After a prefix comes a separator, unless it ends with one, as the root does.
                let isCut = prefix.isEmpty || prefix.last == Self.separator
                guard (rest.first == Self.separator) != isCut || rest.isEmpty else { return nil }
                return rest.split(separator: Self.separator).map { Array($0) + [0] }
            }
        }
    }

    /// The directory that holds what the names lead to, and the last of the names in it; a dot for
    /// this directory itself.
    func parent(
        ofNames names: [Name]
    ) throws(Errno) -> (directory: FileDescriptorOwner, name: Name) {
        guard let last = names.last else { return (owner, [Self.dot, 0]) }
        var directory = owner
        for name in names.dropLast() {
            precondition(name.dropLast().contains { $0 != Self.dot }, "a store's path has no dots")
            let flags = Self.pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let descriptor = openat(directory.number, name, flags)
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            directory = FileDescriptorOwner(descriptor)
        }
        return (directory, last)
    }
}
