import SystemPackage

/// An error about a key. The cause is always the key or the file that the user gave.
public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable {
        /// The text is not PEM, or does not hold a key for Ed25519, P-256 or X25519.
        case malformed
        /// The key is of the wrong kind.
        case wrongKind
        /// The key is public, but the private key is required.
        case notPrivate
        /// Users other than the owner have access to the file of a private key.
        case exposed
        /// The file already exists; a key is never overwritten.
        case exists
        /// The system can't open, read or write the file.
        case io(errno: Int32)
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that states what happened and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func io(_ path: FilePath, _ errno: Errno, _ remedy: String) -> KeyError {
        KeyError(.io(errno: errno.rawValue), "\(path): \(errno); \(remedy).")
    }
}
