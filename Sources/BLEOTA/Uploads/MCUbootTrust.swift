import BLEOTAManifest
import BLEOTAWire

/// Decides whether a trusted key has signed an MCUboot image.
///
/// An image identifies the key of a signature by the TLV `key hash` that precedes the signature:
/// the hash of the key in DER (SubjectPublicKeyInfo). Without that TLV, each trusted key is
/// tried. The signature covers the header, the program and the protected TLVs. An ECDSA signature
/// is computed over their SHA-256, and an Ed25519 signature over the hash in the image or, if the
/// TLV `signature of the whole image` is present, over the bytes themselves. Source: MCUboot's
/// documentation, "Bootloader", and images made by imgtool 2.5.
struct MCUbootTrust {
    private static let keyHashType: UInt16 = 0x01
    private static let ecdsaType: UInt16 = 0x22
    private static let ed25519Type: UInt16 = 0x24
    /// Types of signatures that no key of this library can verify.
    private static let unsupportedTypes: Set<UInt16> = [0x20, 0x21, 0x23]
    private static let counterType: UInt16 = 0x50
    /// The maximum length of an image whose signature covers its bytes, because such an image is
    /// verified in memory.
    private static let wholeByteCountMax = 64 << 20

    let image: MCUbootDescription
    let content: ByteSource

    /// The security counter among the protected TLVs; `nil` if there is none.
    func counter() throws(FirmwareError) -> UInt32? {
        guard
            let entry = image.tlvs.first(where: {
                $0.isProtected && $0.type == Self.counterType && $0.byteCount == 4
            })
        else { return nil }
        let bytes = try content.read(at: entry.valueOffset, byteCount: 4)
        return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Throws the reason if no trusted key has signed the image.
    func require(_ keys: [VerifyingKey]) throws(TransferError) {
        let signatures = image.tlvs.filter { entry in
            !entry.isProtected
                && (entry.type == Self.ecdsaType || entry.type == Self.ed25519Type
                    || Self.unsupportedTypes.contains(entry.type))
        }
        if signatures.isEmpty { throw TransferError(.refused(.unsigned, detail: 0)) }
        guard image.hashCheck != .encrypted else {
            throw Self.refusal(
                "encrypted",
                "The image is encrypted, so its signature can't be verified here",
                "upload it unencrypted"
            )
        }
        // A slot trailer can mark an image as confirmed, and no signature covers it.
        guard image.paddingByteCount == 0 else {
            throw Self.refusal(
                "padded",
                "The image is padded to the size of its slot, and no signature covers the padding",
                "sign the image without padding it or marking it as confirmed"
            )
        }
        var isNamed = false
        for signature in signatures where !Self.unsupportedTypes.contains(signature.type) {
            let keyHash = try keyHash(before: signature)
            for key in keys {
                let isKnown = try isTheKey(key, keyHash, signature)
                guard isKnown else { continue }
                isNamed = true
                if try isValid(signature, by: key) { return }
            }
        }
        if isNamed {
            throw Self.refusal(
                "badSignature",
                "A signature of the image names a trusted key, but is not valid",
                "sign or download the image again"
            )
        }
        if let other = signatures.first(where: { Self.unsupportedTypes.contains($0.type) }) {
            throw Self.refusal(
                "unsupportedSignature",
                "The signature of the image is of a kind that this receiver can't verify: \(other)",
                "sign the image with Ed25519 or ECDSA P-256"
            )
        }
        throw TransferError(.refused(.untrustedKey, detail: 0))
    }

    private static func refusal(
        _ code: String,
        _ statement: String,
        _ remedy: String
    ) -> TransferError {
        TransferError(.refusedByDevice(DeviceRefusal(code, statement, remedy: remedy)))
    }

    private func bytes(of entry: MCUbootTLV) throws(TransferError) -> [UInt8] {
        do throws(FirmwareError) {
            return try content.read(at: entry.valueOffset, byteCount: entry.byteCount)
        } catch {
            throw TransferError(.source(error))
        }
    }

    private func keyHash(before signature: MCUbootTLV) throws(TransferError) -> [UInt8]? {
        let entry = image.tlvs.last {
            $0.type == Self.keyHashType && !$0.isProtected
                && $0.valueOffset < signature.valueOffset
        }
        guard let entry else { return nil }
        return try bytes(of: entry)
    }

    private func isTheKey(
        _ key: VerifyingKey,
        _ keyHash: [UInt8]?,
        _ signature: MCUbootTLV
    ) throws(TransferError) -> Bool {
        guard signature.type == (key.kind == .p256 ? Self.ecdsaType : Self.ed25519Type) else {
            return false
        }
        guard let keyHash else { return true }
        let der = key.der
        // Images with a longer hash than SHA-256 also identify their keys by such a hash.
        return keyHash == SHA256.digest(of: der) || keyHash == SHA384.digest(of: der)
            || keyHash == SHA512.digest(of: der)
    }

    private func isValid(
        _ signature: MCUbootTLV,
        by key: VerifyingKey
    ) throws(TransferError) -> Bool {
        let value = try bytes(of: signature)
        switch key.kind {
        case .p256:
            var hash = SHA256()
            do throws(FirmwareError) {
                try content.forEachPiece(of: 0..<signedEnd) { piece, _ in hash.update(piece) }
            } catch {
                throw TransferError(.source(error))
            }
            return key.isECDSASignature(value, ofDigest: hash)
        case .ed25519:
            guard let message = try message else { return false }
            return key.isSignature(value, of: message)
        }
    }

    /// The bytes that an Ed25519 signature covers; `nil` if the image has no such bytes.
    private var message: [UInt8]? {
        get throws(TransferError) {
            if image.tlvs.contains(where: { $0.type == MCUbootTLV.wholeImageSignature }) {
                guard signedEnd <= Self.wholeByteCountMax else {
                    throw Self.refusal(
                        "tooLarge",
                        "The signature covers all \(signedEnd) bytes instead of their hash, but "
                            + "this receiver verifies such signatures only over at most "
                            + "\(Self.wholeByteCountMax) bytes",
                        "sign the hash of the image instead"
                    )
                }
                do throws(FirmwareError) {
                    return try content.read(at: 0, byteCount: signedEnd)
                } catch {
                    throw TransferError(.source(error))
                }
            }
            // The reader has compared each hash with the bytes.
            let hash = image.tlvs.first { MCUbootTLV.hashes.contains($0.type) && !$0.isProtected }
            guard let hash else { return nil }
            return try bytes(of: hash)
        }
    }

    /// The end of the signed bytes: the end of the protected TLVs or, if there are none, of the
    /// program.
    private var signedEnd: Int {
        let end = image.headerByteCount + image.bodyByteCount
        return image.tlvs.filter(\.isProtected).map { $0.valueOffset + $0.byteCount }.max() ?? end
    }
}
