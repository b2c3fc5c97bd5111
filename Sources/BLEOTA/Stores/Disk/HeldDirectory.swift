import Glibc
import SystemPackage

/// A directory that is held open. No link is followed on the way to a path below it.
///
/// Each component of the path is opened relative to the directory before it, and only if it is a
/// directory. If anyone replaces one of these directories with a link, at any moment, the access
/// fails instead of following the link. The held directory itself may be reached through links,
/// because its user chose the path.
final class HeldDirectory: Sendable {
    /// A name in a directory, with its terminating zero byte.
    typealias Name = [CChar]

    private static let separator = CChar(bitPattern: UInt8(ascii: "/"))
    private static let dot = CChar(bitPattern: UInt8(ascii: "."))

    /// The path that the user chose; empty for the working directory.
    let path: FilePath
    private let owner: FileDescriptorOwner

    /// O_PATH on Linux, which the C library declares only if its extensions are enabled. It
    /// opens a directory for access to the names in it, without needing permission to list it.
    private static let pathOnly: CInt = 0o10_000_000

    init(_ path: FilePath) throws(Errno) {
        self.path = path
        let descriptor = (path.isEmpty ? FilePath(".") : path).withPlatformString {
            Glibc.open($0, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        owner = FileDescriptorOwner(descriptor)
    }

    /// The user who owns the directory.
    var user: uid_t? {
        var status = stat()
        return fstat(owner.number, &status) == 0 ? status.st_uid : nil
    }

    /// Whether `path` still names this directory. False if the directory was removed, replaced or
    /// unmounted.
    var isWhereItWas: Bool {
        var ours = stat()
        var there = stat()
        let place = path.isEmpty ? FilePath(".") : path
        return fstat(owner.number, &ours) == 0
            && place.withPlatformString { stat($0, &there) } == 0
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
    }

    /// The names that lead to a path from here; `nil` if the path is not below this directory.
    ///
    /// Each access to a store calls this, so it compares bytes: splitting a path with `FilePath` is
    /// a hundred times slower.
    func names(to path: FilePath) -> [Name]? {
        self.path.withPlatformString { prefix in
            path.withPlatformString { path in
                let prefix = UnsafeBufferPointer(start: prefix, count: strlen(prefix))
                let path = UnsafeBufferPointer(start: path, count: strlen(path))
                guard path.starts(with: prefix) else { return nil }
                let rest = path[prefix.count...]
                // A separator follows the prefix, unless the prefix ends with one, as the root
                // directory does.
                let isCut = prefix.isEmpty || prefix.last == Self.separator
                guard (rest.first == Self.separator) != isCut || rest.isEmpty else { return nil }
                return rest.split(separator: Self.separator).map { Array($0) + [0] }
            }
        }
    }

    /// The name of the entry to which the names lead, and the directory that contains it. If there
    /// are no names, the result is this directory and a dot.
    func parent(
        ofNames names: [Name]
    ) throws(Errno) -> (directory: FileDescriptorOwner, name: Name) {
        guard let last = names.last else { return (owner, [Self.dot, 0]) }
        var directory = owner
        for name in names.dropLast() {
            precondition(
                name.dropLast().contains { $0 != Self.dot },
                "a path in a store has no dots"
            )
            let flags = Self.pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let descriptor = openat(directory.number, name, flags)
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            directory = FileDescriptorOwner(descriptor)
        }
        return (directory, last)
    }
}
