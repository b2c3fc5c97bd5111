import SystemPackage

/// What is wrong with a key: in every case with what the user gave.
public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Code: Hashable, Sendable {
        /// The text is no PEM, or not that of a key of Ed25519, P-256 or X25519.
        case malformed
        /// A key of another kind than what is needed.
        case wrongKind
        /// A public key, where the private one is needed.
        case notPrivate
        /// Others may read the file of a private key.
        case exposed
        /// The file is there already, and a key is never written over another.
        case exists
        /// The system can't open, read or write the file.
        case io(errno: Int32)
    }

    /// What kind of fault it is.
    public let code: Code
    /// One sentence: what happened and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func io(_ path: FilePath, _ errno: Errno, _ remedy: String) -> KeyError {
        KeyError(.io(errno: errno.rawValue), "\(path): \(errno); \(remedy).")
    }
}
