import Crypto

/// A private key: who has it can sign what devices will run.
///
/// ```swift
/// let signed = try prepared.signed(by: [KeyFile.signingKey(at: "release.pem")])
/// ```
public struct SigningKey: Sendable {
    /// Its public half.
    public let verifyingKey: VerifyingKey
    private let bytes: [UInt8]

    /// A new key, from the system's random numbers.
    public static func generate() -> SigningKey {
        let key = Curve25519.Signing.PrivateKey()
        return SigningKey(key, Array(key.rawRepresentation))
    }

    /// Takes a private key from its PEM.
    public init(pem: String) throws(KeyError) {
        let (_, bytes) = try KeyEncoding.decode(pem: pem, as: .signing)
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw KeyError(.malformed, "This is not a private key of Ed25519.")
        }
        self.init(key, bytes)
    }

    private init(_ key: Curve25519.Signing.PrivateKey, _ bytes: [UInt8]) {
        guard let verifyingKey = try? VerifyingKey(bytes: Array(key.publicKey.rawRepresentation))
        else { preconditionFailure("the public half of a key is one") }
        self.verifyingKey = verifyingKey
        self.bytes = bytes
    }

    /// The key as a file has it. Whoever reads it can sign.
    public var pem: String { KeyEncoding.signing.pem(of: bytes) }

    func signature(of message: [UInt8]) -> [UInt8] {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes),
            let signature = try? key.signature(for: message)
        else { preconditionFailure("a key that was one signs anything") }
        return Array(signature)
    }
}
