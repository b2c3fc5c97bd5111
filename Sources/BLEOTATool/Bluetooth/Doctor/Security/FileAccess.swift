#if BlueZ
import Glibc
import SystemPackage

/// Who can change a file: its owner and its mode, and those of the directories above it.
struct FileAccess {
    private let status: stat

    /// Returns `nil` if there is no such file, or if it can't be examined.
    init?(_ path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        self.status = status
    }

    var owner: uid_t { status.st_uid }

    /// Whether anyone other than the owner, in the file's group or not, can open the file.
    var isOpenToOthers: Bool { status.st_mode & 0o077 != 0 }

    /// Whether every user can write to the file. To connect to a socket is to write to it.
    var isWritableByAll: Bool { status.st_mode & 0o002 != 0 }

    private var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }

    /// In a directory with the sticky bit, only the owner of a file can replace it.
    private var isSticky: Bool { isDirectory && status.st_mode & S_ISVTX != 0 }

    /// Who can change the file besides the current user and root: a user, every user or a group;
    /// `nil` if no one else can.
    private var stranger: String? {
        if owner != 0, owner != geteuid() { return Self.name(of: owner) }
        if isWritableByAll { return "every user" }
        if status.st_mode & 0o020 != 0 { return "the group \(status.st_gid)" }
        return nil
    }

    /// The name of a user, or the user ID if there is no name.
    private static func name(of user: uid_t) -> String {
        guard let entry = getpwuid(user) else { return "user \(user)" }
        return "user \(String(cString: entry.pointee.pw_name))"
    }

    /// A sentence about a user, other than the current user and root, who can change or replace the
    /// file; `nil` if there is none.
    static func weakness(of path: FilePath) -> String? {
        guard let resolved = path.withPlatformString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        var place = FilePath(platformString: resolved)
        if let stranger = FileAccess(place)?.stranger { return "\(stranger) can change \(place)" }
        while place.removeLastComponent() {
            guard let access = FileAccess(place), !access.isSticky else { continue }
            if let stranger = access.stranger {
                return "\(stranger) can replace it in \(place)"
            }
        }
        return nil
    }

    /// Whether every user of this machine can reach a file through the directories above it.
    static func isReachableByAll(_ path: FilePath) -> Bool {
        guard let resolved = path.withPlatformString({ realpath($0, nil) }) else { return false }
        defer { free(resolved) }
        var place = FilePath(platformString: resolved)
        while place.removeLastComponent() {
            guard let access = FileAccess(place), access.status.st_mode & 0o001 != 0 else {
                return false
            }
        }
        return true
    }
}
#endif
