import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// Asks the peer for a signed receipt, piece by piece. Nothing else may receive from the link
/// meanwhile.
///
/// - Parameters:
///   - nonce: the nonce that the signature covers, picked at random for this question.
///   - pause: how long to wait for an answer before a challenge is repeated.
/// - Returns: the receipt, which may be forged; `nil` if the peer signs no receipts.
/// - Throws: a ``TransferError`` with the code `silent` if the peer does not answer a challenge
///   that was sent five times, as is the case for peers of earlier releases; with
///   `protocolViolated` if the answer is not a receipt; otherwise with `linkLost` or `cancelled`.
package func signedReceipt(
    over link: any Transport,
    nonce: ReceiptNonce,
    pause: Duration = questionPause
) async throws(TransferError) -> SignedReceipt? {
    var bytes: [UInt8] = []
    var byteCount = Int(UInt8.max)
    while bytes.count < byteCount {
        let challenge = SenderControl.Challenge(
            session: SessionNumber(.random(in: .min ... .max)),
            offset: UInt8(bytes.count),
            nonce: nonce.wireNonce
        )
        let piece = try await answer(
            to: .challenge(challenge),
            over: link,
            pause: pause
        ) { frame -> [UInt8]? in
            guard case .proof(let proof) = frame, proof.offset == challenge.offset else {
                return nil
            }
            return (0..<proof.piece.byteCount).map { proof.piece[$0] }
        }
        if piece.isEmpty {
            if bytes.isEmpty { return nil }
            break
        }
        bytes += piece
        if bytes.count > 2 { byteCount = SignedReceipt.byteCount(beginning: bytes) ?? 0 }
    }
    guard let receipt = SignedReceipt(bytes: bytes) else {
        throw TransferError(
            .peerNotUnderstood("The peer's receipt can't be read; update bleota on this machine.")
        )
    }
    return receipt
}

extension SignedReceipt {
    /// The length of the receipt that begins with these bytes. `nil` if there are fewer than 3
    /// bytes, or if they do not begin a receipt that this release can read.
    static func byteCount(beginning bytes: [UInt8]) -> Int? {
        guard bytes.count > ReceiptLayout.versionByteCount else { return nil }
        let algorithm = SignatureAlgorithm(rawValue: bytes[ReceiptLayout.algorithm])
        let versionByteCount = Int(bytes[ReceiptLayout.versionByteCount])
        guard let keyByteCount = algorithm.publicKeyByteCount,
            versionByteCount <= ReceiptLayout.versionByteCountMax
        else { return nil }
        return ReceiptLayout.version + versionByteCount + keyByteCount
            + ReceiptLayout.signatureByteCount
    }
}

extension Target {
    /// Asks the device for a signed receipt: its statement about the image that it runs.
    ///
    /// - Parameter nonce: the nonce that the signature covers. Pick one for each question, or pass
    ///   on the nonce of whoever judges the receipt.
    /// - Returns: the receipt, which counts only if ``SignedReceipt/isValid(for:nonce:)``; `nil` if
    ///   the device signs no receipts.
    /// - Throws: a ``TransferError`` with the code `silent` if the device does not answer within
    ///   five seconds, as is the case for devices of earlier releases; otherwise with `linkLost`,
    ///   `cannotConnect`, `cancelled` or `protocolViolated`.
    public func receipt(nonce: ReceiptNonce) async throws(TransferError) -> SignedReceipt? {
        let link = try await connector.connect()
        defer { link.close(.local) }
        return try await signedReceipt(over: link, nonce: nonce)
    }
}
