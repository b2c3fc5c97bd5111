#if !Signatures

package import BLEOTAManifest

// A build without the trait `Signatures` has no cryptographic library. The key types exist so that
// the rest of the library stays the same, but no value of these types can be created.

private func unreachable() -> Never { preconditionFailure("there are no keys in this build") }

/// A public key that checks signatures. Only builds with the trait `Signatures` can make one.
public struct VerifyingKey: Hashable, Sendable {
    private init() {}

    package var kind: SigningKind { unreachable() }
    package var id: KeyID { unreachable() }
    var bytes: [UInt8] { unreachable() }

    func isNamed(by signature: ManifestSignature) -> Bool { unreachable() }

    var der: [UInt8] { unreachable() }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool { unreachable() }

    func isECDSASignature(_ signature: [UInt8], ofDigest hash: SHA256) -> Bool { unreachable() }
}

/// A private key that signs images. Only builds with the trait `Signatures` can make one.
public struct SigningKey: Sendable {
    private init() {}

    /// The public half of this key.
    public var verifyingKey: VerifyingKey { unreachable() }

    func signature(of message: [UInt8]) -> [UInt8] { unreachable() }
}

/// A public key for which images are sealed. Only builds with the trait `Signatures` can make one.
public struct SealingKey: Hashable, Sendable {
    private init() {}
}

/// A private key that opens sealed images. Only builds with the trait `Signatures` can make one.
public struct UnsealingKey: Sendable {
    private init() {}
}

/// The seal of an image. This build has no keys, so it can't make or open a seal.
struct ContentSeal {
    init?(of manifest: Manifest, openedBy keys: [UnsealingKey]) { return nil }

    static func make(
        for recipients: [SealingKey]
    ) throws(KeyError) -> (seal: ContentSeal, attribute: [UInt8]) { unreachable() }

    func seal(_ piece: [UInt8], index: Int, isLast: Bool) -> [UInt8] { unreachable() }

    func open(_ block: [UInt8], index: Int, isLast: Bool) -> [UInt8]? { unreachable() }
}

#endif
