import Glibc
public import SystemPackage

/// Keys in files.
public enum KeyFile {
    /// A PEM of one key has some 120 bytes; what is much longer is none.
    private static let byteCountMax = 4_096

    /// Reads a private key.
    ///
    /// - Throws: a ``KeyError`` with the code `exposed` where others than the owner may read or
    ///   write the file.
    public static func signingKey(at path: FilePath) throws(KeyError) -> SigningKey {
        try privateKey(at: path) { text throws(KeyError) in try SigningKey(pem: text) }
    }

    /// Reads a private key for which images are sealed, as ``signingKey(at:)`` does.
    public static func unsealingKey(at path: FilePath) throws(KeyError) -> UnsealingKey {
        try privateKey(at: path) { text throws(KeyError) in try UnsealingKey(pem: text) }
    }

    private static func privateKey<Key>(
        at path: FilePath,
        _ decode: (String) throws(KeyError) -> Key
    ) throws(KeyError) -> Key {
        let (text, mode) = try read(path)
        let key = try naming(path) { () throws(KeyError) in try decode(text) }
        guard mode & 0o077 == 0 else {
            throw KeyError(
                .exposed,
                "\(path) is a private key that others can get at (mode "
                    + "\(String(mode & 0o777, radix: 8))); chmod 600 \(path), and make a new key "
                    + "if somebody may have read it."
            )
        }
        return key
    }

    /// Reads a public key, or the public half of a private one.
    public static func verifyingKey(at path: FilePath) throws(KeyError) -> VerifyingKey {
        let text = try read(path).text
        return try naming(path) { () throws(KeyError) in try VerifyingKey(pem: text) }
    }

    /// Reads a public key for which images are sealed, or the public half of a private one.
    public static func sealingKey(at path: FilePath) throws(KeyError) -> SealingKey {
        let text = try read(path).text
        return try naming(path) { () throws(KeyError) in try SealingKey(pem: text) }
    }

    /// Writes a new private key that nobody but its owner can read. The file must not be there.
    public static func write(_ key: UnsealingKey, to path: FilePath) throws(KeyError) {
        try write(key.pem, to: path, .ownerReadWrite)
    }

    /// Writes a public key. The file must not be there.
    public static func write(_ key: SealingKey, to path: FilePath) throws(KeyError) {
        try write(key.pem, to: path, [.ownerReadWrite, .groupRead, .otherRead])
    }

    /// Writes a new private key that nobody but its owner can read. The file must not be there.
    public static func write(_ key: SigningKey, to path: FilePath) throws(KeyError) {
        try write(key.pem, to: path, .ownerReadWrite)
    }

    /// Writes a public key. The file must not be there.
    public static func write(_ key: VerifyingKey, to path: FilePath) throws(KeyError) {
        try write(key.pem, to: path, [.ownerReadWrite, .groupRead, .otherRead])
    }

    private static func write(
        _ text: String,
        to path: FilePath,
        _ permissions: FilePermissions
    ) throws(KeyError) {
        do {
            let file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: permissions
            )
            try file.closeAfter {
                _ = try file.writeAll(text.utf8)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            let errno = (error as? Errno) ?? .ioError
            if errno == .fileExists {
                throw KeyError(
                    .exists,
                    "\(path) is there already, and a key is never written over; name another file."
                )
            }
            throw .io(path, errno, "name a file in a directory that can be written")
        }
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
            throw .io(path, (error as? Errno) ?? .ioError, "name the file of a key")
        }
    }

    /// Says in which file the fault is.
    private static func naming<Key>(
        _ path: FilePath,
        _ read: () throws(KeyError) -> Key
    ) throws(KeyError) -> Key {
        do throws(KeyError) {
            return try read()
        } catch {
            throw KeyError(error.code, "\(path): \(error.description)")
        }
    }
}
