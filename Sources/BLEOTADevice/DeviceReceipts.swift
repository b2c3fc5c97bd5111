import BLEOTACore
public import BLEOTAManifest

/// The data that a device states and keeps for signed receipts (spec/bleota.md, section 7.2),
/// except the data that the receiver has itself. The pointers are used only during the call to
/// which they are passed.
public struct DeviceReceipts {
    /// The number of bytes that the receiver keeps between two pieces of a receipt: a hash and a
    /// signature.
    public static var memoryByteCount: Int { 32 + ReceiptLayout.signatureByteCount }

    /// The algorithm of the device's key.
    let algorithm: SignatureAlgorithm
    /// The public key, as long as the algorithm requires.
    let publicKey: UnsafeRawBufferPointer
    /// The version of the running image in UTF-8, at most 64 bytes; empty if it is unknown.
    let version: UnsafeRawBufferPointer
    /// The SHA-256 of the running image, or `nil` if it is unknown.
    let imageSHA256: UnsafeRawPointer?
    /// ``memoryByteCount`` bytes, which are zero before the first receipt.
    let memory: UnsafeMutableRawPointer

    /// Creates the data that the device signs.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm of the device's key.
    ///   - publicKey: the public key, 32 bytes for Ed25519 and 65 for P-256.
    ///   - version: the version of the running image in UTF-8, at most 64 bytes; empty if it is
    ///     unknown.
    ///   - imageSHA256: the 32 bytes of the SHA-256 of the running image, which begin with the tag
    ///     of ``DeviceReceiver/setRunning(_:)``; `nil` if the tag is 0.
    ///   - memory: ``memoryByteCount`` bytes that nothing else writes; zero at first.
    public init(
        algorithm: SignatureAlgorithm,
        publicKey: UnsafeRawBufferPointer,
        version: UnsafeRawBufferPointer,
        imageSHA256: UnsafeRawPointer?,
        memory: UnsafeMutableRawPointer
    ) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.version = version
        self.imageSHA256 = imageSHA256
        self.memory = memory
    }

    /// Writes the PROOF that answers a challenge.
    ///
    /// - Parameter frameByteCountMax: the maximum length of a frame, 18 to 79.
    /// - Returns: the length of the frame in bytes, or 0 if the device does not answer: because it
    ///   can't sign now, or because the hash that it states does not belong to its tag.
    @inline(never)  // Its buffer is on the stack only while it is needed.
    func writeProof(
        _ challenge: SenderControl.Challenge,
        of running: ReceiverControl.Status,
        counter: UInt32,
        frameByteCountMax: Int,
        into output: inout MutableRawSpan,
        sign: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool
    ) -> Int {
        var buffer = InlineArray<245, UInt8>(repeating: 0)
        var elements = buffer.mutableSpan
        return elements.withUnsafeMutableBytes { buffer in
            // SAFETY: 245 bytes are a nonce of 12 bytes and the longest receipt.
            let start = buffer.baseAddress.unsafelyUnwrapped
            let receipt = start + ChallengeNonce.byteCount
            guard let statedByteCount = write(running, counter, to: receipt) else { return 0 }
            start.storeBytes(of: challenge.nonce.low.littleEndian, as: UInt64.self)
            (start + 8).storeBytes(of: challenge.nonce.high.littleEndian, as: UInt32.self)
            let signed = UnsafeRawBufferPointer(
                start: start,
                count: ChallengeNonce.byteCount &+ statedByteCount
            )
            guard keepSignature(of: SHA256.digest(of: signed), sign) else { return 0 }
            (receipt + statedByteCount).copyMemory(
                from: memory + 32,
                byteCount: ReceiptLayout.signatureByteCount
            )
            let byteCount = statedByteCount &+ ReceiptLayout.signatureByteCount
            let offset = min(Int(challenge.offset), byteCount)
            let pieceByteCount = min(
                byteCount &- offset,
                frameByteCountMax &- ReceiverControl.Proof.overheadByteCount
            )
            output.withUnsafeMutableBytes { output in
                let piece = ReceiverControl.Proof.pieceOffset
                for index in 0..<pieceByteCount {
                    output[piece &+ index] = receipt.load(
                        fromByteOffset: offset &+ index,
                        as: UInt8.self
                    )
                }
            }
            return ReceiverControl.Proof.encode(
                pieceInPlaceByteCount: pieceByteCount,
                offset: challenge.offset,
                session: challenge.session,
                into: &output
            )
        }
    }

    /// Writes the receipt without its signature.
    ///
    /// - Returns: its length, or `nil` if the hash does not belong to the tag.
    private func write(
        _ running: ReceiverControl.Status,
        _ counter: UInt32,
        to receipt: UnsafeMutableRawPointer
    ) -> Int? {
        typealias Layout = ReceiptLayout
        receipt.storeBytes(of: algorithm.rawValue, as: UInt8.self)
        (receipt + Layout.state).storeBytes(of: running.state.rawValue, as: UInt8.self)
        (receipt + Layout.versionByteCount).storeBytes(
            of: UInt8(truncatingIfNeeded: version.count),
            as: UInt8.self
        )
        (receipt + Layout.counter).storeBytes(of: counter.littleEndian, as: UInt32.self)
        let hash = receipt + Layout.sha256
        if let imageSHA256 { hash.copyMemory(from: imageSHA256, byteCount: 32) }
        guard UInt64(littleEndian: hash.loadUnaligned(as: UInt64.self)) == running.runningTag
        else { return nil }
        let key = receipt + Layout.version + version.count
        copy(version, to: receipt + Layout.version)
        copy(publicKey, to: key)
        return Layout.version &+ version.count &+ publicKey.count
    }

    private func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        guard let source = bytes.baseAddress else { return }
        target.copyMemory(from: source, byteCount: bytes.count)
    }

    //= PROOF-2: While successive CHALLENGEs have the same nonce, and everything that the receipt
    //= states stays the same, a receiver MUST send pieces of one receipt. Otherwise, it MUST make a
    //= new receipt.
    //= PROOF-3: A receiver MUST sign nothing with its device key but messages of this section.
    /// Puts the signature for this hash into ``memory``, unless it is there already.
    ///
    /// - Returns: whether it is there.
    private func keepSignature(
        of digest: Digest,
        _ sign: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool
    ) -> Bool {
        if digest.begins(with: UnsafeRawBufferPointer(start: memory, count: 32)) { return true }
        let message = (ReceiptLayout.signatureLabelBytes, digest.words)
        let signature = UnsafeMutableRawBufferPointer(
            start: memory + 32,
            count: ReceiptLayout.signatureByteCount
        )
        let isSigned = withUnsafeBytes(of: message) { sign($0, signature) }
        // After a failure, the memory may hold part of a signature, which belongs to no hash.
        let signed = isSigned ? digest : Digest(words: InlineArray(repeating: 0))
        memory.storeBytes(of: signed.words, as: InlineArray<8, UInt32>.self)
        return isSigned
    }
}

extension ReceiptLayout {
    /// The bytes of ``signatureLabel`` as they are in memory.
    fileprivate static var signatureLabelBytes: InlineArray<16, UInt8> {
        let text = signatureLabel.utf8Start
        return InlineArray { text[$0] }
    }
}
