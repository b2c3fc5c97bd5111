import BLEOTA
import Glibc
import SystemPackage

/// A file that a command is about to write.
///
/// This type alone decides what a command may replace:
///
/// - It never replaces a directory, a device, a pipe, a socket or a key: a private key can't be
///   restored.
/// - It replaces an input of the command, or a file of a different kind, only with `--force`. An
///   empty file has nothing to lose.
///
/// Two paths denote the same file if device and inode are the same, so links and spelling make no
/// difference. A symbolic link is judged by its target. The output replaces the link itself, and a
/// dangling link only with `--force`.
///
/// A command writes its output under a temporary name in the same directory, and renames it when
/// it is complete.
struct OutputFile {
    let path: FilePath

    /// - Parameters:
    ///   - inputs: the files that the command reads, and its other outputs, whether they exist or
    ///     not.
    ///   - keys: the keys that the command reads.
    ///   - isForced: whether `--force` was given.
    /// - Throws: a ``Failure`` with exit code 73.
    init(
        _ path: FilePath,
        _ kind: OutputKind,
        inputs: [FilePath] = [],
        keys: [FilePath] = [],
        isForced: Bool = false
    ) throws(Failure) {
        self.path = path
        if inputs.contains(where: { Self.isSamePlace($0, path) }) {
            throw refusal(
                "is also read or written by this command; choose another file for \(kind.name)"
            )
        }
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else {
            // The file does not exist, or the command can't write there and reports that later.
            if !isForced, path.withPlatformString({ lstat($0, &status) }) == 0 {
                throw refusal(
                    "is a dangling symbolic link; choose another file, or add --force to replace it"
                )
            }
            return
        }
        if let special = Self.specialKind(status.st_mode) {
            throw refusal("is \(special); choose a regular file for \(kind.name)")
        }
        let id = FileID(status)
        if keys.contains(where: { FileID($0) == id }) {
            throw refusal("is a key that this command reads; choose another file for \(kind.name)")
        }
        if OutputKind.isKey(path) {
            throw refusal(
                "is a key; choose another file for \(kind.name), or delete the key yourself"
            )
        }
        if isForced { return }
        guard status.st_size == 0 || kind.isKind(of: path) else {
            throw refusal("is not \(kind.name); choose another file, or add --force to replace it")
        }
    }

    /// Refuses a non-empty file that is not the image of `manifest`, for outputs that can have any
    /// content.
    func requireAbsent(or manifest: Manifest, isForced: Bool) throws(Failure) {
        var status = stat()
        guard !isForced, path.withPlatformString({ stat($0, &status) }) == 0, status.st_size > 0,
            status.st_size != manifest.decodedByteCount
                || (try? FirmwareFile.sha256(ofFile: path)) != manifest.decodedSHA256
        else { return }
        throw refusal(
            "already has other content; choose another file, or add --force to replace it"
        )
    }

    private func refusal(_ what: String) -> Failure {
        Failure(.cannotCreate, "\(path) \(what)")
    }

    /// Whether two paths denote the same file, which need not exist yet.
    private static func isSamePlace(_ first: FilePath, _ second: FilePath) -> Bool {
        if let id = FileID(first), id == FileID(second) { return true }
        let directories = [first, second].map { path in
            let directory = path.removingLastComponent()
            return FileID(directory.isEmpty ? "." : directory)
        }
        return first.lastComponent == second.lastComponent && directories[0] != nil
            && directories[0] == directories[1]
    }

    /// The kind of a file that can't be an output; `nil` for a regular file.
    private static func specialKind(_ mode: mode_t) -> String? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a directory"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}

/// The identity of a file, independent of the spelling of its path.
private struct FileID: Equatable {
    private let device: dev_t
    private let inode: ino_t

    init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }

    init?(_ path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }
}
