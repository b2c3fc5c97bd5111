#if Signatures

import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Crypto

/// Seals and opens the pieces of one image (spec/bleota.md, section 4.6).
struct ContentSeal {
    private let key: SymmetricKey

    private init(key: SymmetricKey) { self.key = key }

    /// Opens the content key of an image with one of these private keys; `nil` if none of them
    /// opens it.
    init?(of manifest: Manifest, openedBy keys: [UnsealingKey]) {
        let bytes = manifest.bytes.span.bytes
        guard let seal = manifest.fields.seal(in: bytes) else { return nil }
        let ephemeralKey = manifest.bytes[seal.ephemeralKey]
        for index in 0..<seal.recipientCount {
            let keyID = seal.keyID(ofRecipient: index, in: bytes)
            for key in keys where key.sealingKey.id == keyID {
                let sealed = manifest.bytes[seal.contentKey(ofRecipient: index)]
                if let content = key.open(Array(sealed), madeWith: Array(ephemeralKey)) {
                    self.init(key: content)
                    return
                }
            }
        }
        return nil
    }

    //= SEAL-1: For each object 1, even for another form of the same image, a sealer MUST generate a
    //= fresh key pair, whose public half is E, and a fresh content key. It MUST seal each object 1
    //= only once, and a sender MUST send the same sealed bytes each time.
    /// Creates a new content key, and the value of the *seal* attribute that contains it for 1
    /// to 3 recipients.
    static func make(
        for recipients: [SealingKey]
    ) throws(KeyError) -> (seal: ContentSeal, attribute: [UInt8]) {
        precondition((1...ManifestLayout.sealRecipientCountMax).contains(recipients.count))
        let key = SymmetricKey(size: .bits256)
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        var attribute = Array(ephemeral.publicKey.rawRepresentation)
        for recipient in recipients.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            attribute += recipient.id.rawValue.littleEndianBytes
            attribute += try recipient.seal(key, with: ephemeral)
        }
        return (ContentSeal(key: key), attribute)
    }

    /// - Parameter piece: as long as a block without its tag; the last piece may be shorter.
    func seal(_ piece: [UInt8], index: Int, isLast: Bool) -> [UInt8] {
        let nonce = Self.nonce(index, isLast)
        guard let box = try? ChaChaPoly.seal(piece, using: key, nonce: nonce) else {
            preconditionFailure("ChaCha20-Poly1305 seals any block")
        }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// The plaintext of a sealed block; `nil` if its tag is invalid.
    func open(_ block: [UInt8], index: Int, isLast: Bool) -> [UInt8]? {
        let tag = ManifestLayout.sealTagByteCount
        guard block.count > tag,
            let box = try? ChaChaPoly.SealedBox(
                nonce: Self.nonce(index, isLast),
                ciphertext: block.dropLast(tag),
                tag: block.suffix(tag)
            ),
            let piece = try? ChaChaPoly.open(box, using: key)
        else { return nil }
        return Array(piece)
    }

    private static func nonce(_ index: Int, _ isLast: Bool) -> ChaChaPoly.Nonce {
        let bytes =
            UInt64(index).littleEndianBytes + UInt32(isLast ? 1 : 0).littleEndianBytes
        guard let nonce = try? ChaChaPoly.Nonce(data: bytes) else {
            preconditionFailure("a nonce has 12 bytes")
        }
        return nonce
    }
}

#endif
