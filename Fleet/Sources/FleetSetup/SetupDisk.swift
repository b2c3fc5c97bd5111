import Glibc
package import SystemPackage

/// Why a fleet can't be set up in a folder.
package enum SetupError: Error, Sendable, Hashable, CustomStringConvertible {
    case disk(FilePath, Errno)
    /// A file of a key has something else.
    case notAKey(FilePath)
    /// The file has the public half of a key instead of its seed.
    case publicKey(FilePath)
    /// There is a configuration of a server that is another.
    case differs(FilePath)

    package var description: String {
        switch self {
        case .disk(let path, let error): "\(path): \(error)"
        case .notAKey(let path):
            "the file \(path) has no key of a user, which is one line as bleota-fleet init "
                + "configuration writes it"
        case .publicKey(let path):
            "\(path) is a public key, which signs nothing; give \(SetupFolder.seedFile(of: path)), "
                + "the seed that was made with it"
        case .differs(let path):
            "\(path) is there already, and differs; delete it to have a new one"
        }
    }
}

/// Small files of text.
enum SetupDisk {
    /// The largest of them is a server's configuration, of a few KiB.
    private static let byteCountMax = 1 << 20

    /// A file that everybody may read.
    static let everybodysMode: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    static func exists(_ path: FilePath) -> Bool { access(path.string, F_OK) == 0 }

    static func makeFolder(_ path: FilePath, mode: mode_t) throws(SetupError) {
        guard mkdir(path.string, mode) != 0, errno != EEXIST else { return }
        throw .disk(path, Errno(rawValue: errno))
    }

    static func read(_ path: FilePath) throws(SetupError) -> String? {
        do {
            let file = try FileDescriptor.open(path, .readOnly)
            let bytes = try file.closeAfter {
                var bytes = [UInt8](repeating: 0, count: byteCountMax)
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                return bytes[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            let error = reason(error)
            guard error != .noSuchFileOrDirectory else { return nil }
            throw .disk(path, error)
        }
    }

    /// Writes a file that isn't there, and returns when it is on the disk.
    static func create(
        _ path: FilePath,
        _ text: String,
        mode: FilePermissions
    ) throws(SetupError) {
        do {
            let file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate],
                permissions: mode
            )
            try file.closeAfter {
                try file.writeAll(Array(text.utf8))
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: Glibc.errno) }
            }
        } catch {
            throw .disk(path, reason(error))
        }
    }

    /// Writes a file as a whole, instead of one that may be there.
    static func replace(_ path: FilePath, _ text: String) throws(SetupError) {
        let new = FilePath(path.string + ".new")
        unlink(new.string)
        try create(new, text, mode: everybodysMode)
        guard rename(new.string, path.string) == 0 else {
            throw .disk(path, Errno(rawValue: Glibc.errno))
        }
    }

    static func names(in folder: FilePath) throws(SetupError) -> [String] {
        guard let entries = opendir(folder.string) else {
            throw .disk(folder, Errno(rawValue: Glibc.errno))
        }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        return names
    }

    /// Everything here throws this alone.
    private static func reason(_ error: any Error) -> Errno { error as? Errno ?? .ioError }
}
