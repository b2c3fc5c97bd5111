package import NATS
package import SystemPackage

import enum Crypto.Curve25519

/// The key pair of a user of a fleet's servers.
package struct UserKey: Sendable {
    package let seed: NKeySeed
    package let key: NKey

    /// Makes a new one.
    package init() { self.init(Curve25519.Signing.PrivateKey()) }

    /// The pair of a seed.
    package init(_ seed: NKeySeed) {
        // Every 32 bytes are a key of Ed25519.
        self.init(try! Curve25519.Signing.PrivateKey(rawRepresentation: seed.bytes))
    }

    /// The pair of the seed in a file.
    package init(seedFile file: FilePath) throws(SetupError) {
        guard let text = try SetupDisk.read(file) else {
            throw .disk(file, .noSuchFileOrDirectory)
        }
        guard let seed = NKeySeed(text.trimmed) else {
            throw NKey(text.trimmed) == nil ? .notAKey(file) : .publicKey(file)
        }
        self.init(seed)
    }

    private init(_ key: Curve25519.Signing.PrivateKey) {
        seed = NKeySeed(Array(key.rawRepresentation))
        self.key = NKey(Array(key.publicKey.rawRepresentation))
    }
}
