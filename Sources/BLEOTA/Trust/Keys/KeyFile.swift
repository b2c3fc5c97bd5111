#if Signatures

import Glibc
package import SystemPackage

/// Reads and writes keys in files.
package enum KeyFile {
    /// The PEM of one key is about 120 or 240 bytes long, so a much longer file is not a key.
    private static let byteCountMax = 4_096

    // MARK: - Read

    /// Reads a private signing key.
    ///
    /// - Throws: a ``KeyError``; its code is `exposed` if users other than the owner may read
    ///   or write the file.
    package static func signingKey(at path: FilePath) throws(KeyError) -> SigningKey {
        try key(at: path, isPrivate: true) { text throws(KeyError) in try SigningKey(pem: text) }
    }

    /// Reads a private sealing key, with the same check as ``signingKey(at:)``.
    package static func unsealingKey(at path: FilePath) throws(KeyError) -> UnsealingKey {
        try key(at: path, isPrivate: true) { text throws(KeyError) in try UnsealingKey(pem: text) }
    }

    /// Reads a public key, or the public half of a private key.
    package static func verifyingKey(at path: FilePath) throws(KeyError) -> VerifyingKey {
        try key(at: path, isPrivate: false) { text throws(KeyError) in try VerifyingKey(pem: text) }
    }

    /// Reads a public key and rejects a private key, because a device that only verifies
    /// signatures should not hold a key that makes them.
    ///
    /// - Throws: a ``KeyError``; its code is `wrongKind` for a private key.
    package static func publicKey(at path: FilePath) throws(KeyError) -> VerifyingKey {
        try key(at: path, isPrivate: false) { text throws(KeyError) in
            try VerifyingKey(publicPEM: text)
        }
    }

    /// Reads a public sealing key, or the public half of a private one.
    package static func sealingKey(at path: FilePath) throws(KeyError) -> SealingKey {
        try key(at: path, isPrivate: false) { text throws(KeyError) in try SealingKey(pem: text) }
    }

    private static func key<Key>(
        at path: FilePath,
        isPrivate: Bool,
        _ decode: (String) throws(KeyError) -> Key
    ) throws(KeyError) -> Key {
        let (text, mode) = try read(path)
        let key: Key
        do throws(KeyError) {
            key = try decode(text)
        } catch {
            // The description of a key error begins with "This". Replace that word with the
            // path.
            let what = error.description.drop { $0 != " " }
            throw KeyError(error.code, "\(path)\(what)")
        }
        guard !isPrivate || mode & 0o077 == 0 else {
            throw KeyError(
                .exposed,
                "\(path) is a private key that other users can access (mode "
                    + "\(String(mode & 0o777, radix: 8))); run chmod 600 \(path), and generate a "
                    + "new key if someone may have read this one."
            )
        }
        return key
    }

    private static func read(
        _ path: FilePath
    ) throws(KeyError) -> (text: String, mode: CInterop.Mode) {
        do {
            let file = try FileDescriptor.open(
                path,
                .readOnly,
                options: [.closeOnExec, .nonBlocking]
            )
            return try file.closeAfter {
                let mode = try file.stat().permissions.rawValue
                let text = try String(
                    unsafeUninitializedCapacity: byteCountMax
                ) { try file.read(into: UnsafeMutableRawBufferPointer($0)) }
                return (text, mode)
            }
        } catch {
            throw .io(path, (error as? Errno) ?? .ioError, "choose the file of a key")
        }
    }

    // MARK: - Write

    /// Writes a new private key that only its owner can read, and its public half. Fails if
    /// either file already exists. After an error, no new file is left behind.
    package static func write(
        _ key: SigningKey,
        to path: FilePath,
        publicHalfTo publicPath: FilePath
    ) throws(KeyError) {
        try write(key.pem, to: path, key.verifyingKey.pem, to: publicPath)
    }

    /// Writes a new private sealing key and its public half in the same way.
    package static func write(
        _ key: UnsealingKey,
        to path: FilePath,
        publicHalfTo publicPath: FilePath
    ) throws(KeyError) {
        try write(key.pem, to: path, key.sealingKey.pem, to: publicPath)
    }

    private static func write(
        _ privatePEM: String,
        to path: FilePath,
        _ publicPEM: String,
        to publicPath: FilePath
    ) throws(KeyError) {
        try write(privatePEM, to: path, .ownerReadWrite)
        do throws(KeyError) {
            try write(publicPEM, to: publicPath, [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            remove(path)
            throw error
        }
    }

    private static func write(
        _ text: String,
        to path: FilePath,
        _ permissions: FilePermissions
    ) throws(KeyError) {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: permissions
            )
        } catch {
            guard error as? Errno != .fileExists else {
                throw KeyError(
                    .exists,
                    "\(path) already exists, and a key is never overwritten; choose another file."
                )
            }
            throw cannotWrite(path, error)
        }
        do {
            try file.closeAfter {
                // Set the mode regardless of the umask, because the owner must be able to read
                // the key.
                guard fchmod(file.rawValue, permissions.rawValue) == 0 else {
                    throw Errno(rawValue: errno)
                }
                _ = try file.writeAll(text.utf8)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            remove(path)
            throw cannotWrite(path, error)
        }
    }

    private static func cannotWrite(_ path: FilePath, _ error: any Error) -> KeyError {
        .io(path, (error as? Errno) ?? .ioError, "choose a file in a writable directory")
    }

    /// Removes a partly written key, which would block the next attempt.
    private static func remove(_ path: FilePath) {
        _ = path.withPlatformString { unlink($0) }
    }
}

#endif
