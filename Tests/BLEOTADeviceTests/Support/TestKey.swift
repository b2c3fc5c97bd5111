import BLEOTADevice
import BLEOTAManifest
import BLEOTATestSupport
import Crypto

/// A real key that a seed gives, of either algorithm.
struct TestKey {
    private enum Secret {
        case ed25519(Curve25519.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    let algorithm: SignatureAlgorithm
    private let secret: Secret

    init(seed: UInt64, _ algorithm: SignatureAlgorithm = .ed25519) {
        var random = TestSeed(seed)
        // 32 bytes are a key of P-256 but for one in 4,000 million.
        let bytes = random.bytes(32)
        self.algorithm = algorithm
        secret =
            algorithm == .p256
            ? .p256(try! P256.Signing.PrivateKey(rawRepresentation: bytes))
            : .ed25519(try! Curve25519.Signing.PrivateKey(rawRepresentation: bytes))
    }

    var publicBytes: [UInt8] {
        switch secret {
        case .ed25519(let key): Array(key.publicKey.rawRepresentation)
        case .p256(let key): Array(key.publicKey.x963Representation)
        }
    }

    var id: KeyID {
        let digest = Crypto.SHA256.hash(data: publicBytes)
        return KeyID(rawValue: digest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// As it stands in a manifest.
    func signature(of message: [UInt8]) -> [UInt8] {
        var entry: [UInt8] = [algorithm.rawValue, 0]
        entry.append(UInt16(64))
        entry.append(id.rawValue)
        return entry + bareSignature(of: message)
    }

    func bareSignature(of message: [UInt8]) -> [UInt8] {
        switch secret {
        case .ed25519(let key): Array(try! key.signature(for: message))
        case .p256(let key): Array(try! key.signature(for: message).rawRepresentation)
        }
    }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch secret {
        case .ed25519(let key):
            return key.publicKey.isValidSignature(signature, for: message)
        case .p256(let key):
            let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            return value.map { key.publicKey.isValidSignature($0, for: message) } ?? false
        }
    }
}
