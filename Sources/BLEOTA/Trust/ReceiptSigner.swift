import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Synchronization

/// Answers the challenges of one link with pieces of signed receipts.
final class ReceiptSigner: Sendable {
    private struct Signed {
        let message: [UInt8]
        let signature: [UInt8]
    }

    //= PROOF-3: A receiver MUST sign nothing with its device key but messages of this section.
    private let key: SigningKey?
    private let frameByteCountMax: Int
    private let last = Mutex<Signed?>(nil)

    /// - Parameters:
    ///   - key: the device's key; `nil` if the device signs no receipts.
    ///   - frameByteCountMax: the maximum length of a control frame to the sender.
    init(_ key: SigningKey?, frameByteCountMax: Int) {
        self.key = key
        self.frameByteCountMax = frameByteCountMax
    }

    //= PROOF-1: In any state, a receiver that has a device key MUST answer CHALLENGE with PROOF,
    //= with a checksum computed for the session in CHALLENGE, and change nothing.
    /// The PROOF that answers a challenge, as a datagram. Its piece is empty if there is no key.
    func proof(_ challenge: SenderControl.Challenge, of running: RunningImage) -> [UInt8] {
        let whole = key.map { receipt(of: running, ReceiptNonce(challenge.nonce), $0) } ?? []
        let piece = Array(
            whole.dropFirst(Int(challenge.offset))
                .prefix(frameByteCountMax - ReceiverControl.Proof.overheadByteCount)
        )
        let proof = ReceiverControl.proof(
            .init(offset: challenge.offset, piece: ReceiptPiece(piece.span.bytes))
        )
        return [UInt8](unsafeUninitializedCapacity: ReceiverControl.byteCountMax) { buffer, count in
            // SAFETY: `encode` writes the first `count` bytes and returns that number.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = proof.encode(session: challenge.session, into: &output)
        }
    }

    //= PROOF-2: While successive CHALLENGEs have the same nonce, and everything that the receipt
    //= states stays the same, a receiver MUST send pieces of one receipt. Otherwise, it MUST make a
    //= new receipt.
    private func receipt(
        of running: RunningImage,
        _ nonce: ReceiptNonce,
        _ key: SigningKey
    ) -> [UInt8] {
        let statement = running.statement(signedBy: key.verifyingKey)
        let message = SignedMessage.bytes(ofReceipt: statement[...], nonce: nonce)
        let signature = last.withLock { last in
            if let last, last.message == message { return last.signature }
            let signature = key.signature(of: message)
            last = Signed(message: message, signature: signature)
            return signature
        }
        return statement + signature
    }
}

extension RunningImage {
    /// The receipt without its signature (spec/bleota.md, section 7.2).
    fileprivate func statement(signedBy key: VerifyingKey) -> [UInt8] {
        let version = version.utf8.count > ReceiptLayout.versionByteCountMax ? "" : version
        return [key.kind.algorithm.rawValue, state.rawValue, UInt8(version.utf8.count), 0]
            + counter.littleEndianBytes + (sha256 ?? Array(repeating: 0, count: 32))
            + version.utf8 + key.bytes
    }
}
