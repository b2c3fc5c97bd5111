package import SystemPackage

#if canImport(Glibc)
import Glibc
#endif

/// The file with the token that opens the console.
package struct TokenFile: Sendable {
    /// Why there is no token.
    package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        case disk(FilePath, Errno)
        /// Others may read it, or it is another user's.
        case exposed(FilePath)
        /// It holds something else.
        case noToken(FilePath)

        package var description: String {
            switch self {
            case .disk(let path, let error): "\(path): \(error)"
            case .exposed(let path):
                "others can read the token in \(path): remove that file for a new token, or run "
                    + "chmod 600 \(path) if nobody has read it"
            case .noToken(let path):
                "\(path) holds no token of \(Secret.digitCount) hexadecimal digits: remove it for "
                    + "a new one"
            }
        }
    }

    package let token: Secret
    /// Whether the file wasn't there before.
    package let isNew: Bool

    /// Reads a token, or makes the file with a new one, which only its owner can read.
    package init(at path: FilePath) throws(Failure) {
        if let token = try Self.read(path) {
            (self.token, isNew) = (token, false)
            return
        }
        let token = Secret.random()
        do {
            let file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite
            )
            try file.closeAfter {
                _ = try file.writeAll((token.text + "\n").utf8)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch let error as Errno {
            throw .disk(path, error)
        } catch {
            preconditionFailure("System throws \(error)")
        }
        (self.token, isNew) = (token, true)
    }

    /// The token of a file; `nil` if there is no file.
    private static func read(_ path: FilePath) throws(Failure) -> Secret? {
        var bytes = [UInt8](repeating: 0, count: Secret.digitCount + 2)
        var status = stat()
        let count: Int
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
            count = try file.closeAfter {
                guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
                return try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            }
        } catch let error as Errno {
            guard error != .noSuchFileOrDirectory else { return nil }
            throw .disk(path, error)
        } catch {
            preconditionFailure("System throws \(error)")
        }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw .exposed(path)
        }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        guard let token = Secret(text.hasSuffix("\n") ? text.dropLast() : text[...]) else {
            throw .noToken(path)
        }
        return token
    }
}
