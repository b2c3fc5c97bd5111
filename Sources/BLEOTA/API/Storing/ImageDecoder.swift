import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// Decodes an encoded image (spec/bleota.md, section 4.5). A store calls it in
/// ``ImageStore/publish(decodedBy:)`` once it has checked the encoded image against the SHA-256
/// in the manifest.
///
/// ```swift
/// let isWhole = decoder.decode(manifest, base: { nil }, read: file.read) { image += $0 }
/// ```
///
/// Decoding uses two buffers of 64 KiB and a window of 32 KiB. A patch needs memory for the
/// image, the base and the patch, at most 64 MiB each.
public struct ImageDecoder: Sendable {
    /// The private keys that can open sealed images.
    let unsealingKeys: [UnsealingKey]

    /// - Parameter unsealingKeys: the private keys that can open sealed images.
    public init(unsealingKeys: [UnsealingKey] = []) { self.unsealingKeys = unsealingKeys }

    /// The compression methods that this build can decode.
    static var compressions: [Compression] {
        #if Delta
        [.none, .zlib, .patch]
        #else
        [.none, .zlib]
        #endif
    }

    /// The reason an image can't be decoded; `nil` if it can.
    ///
    /// - Parameter currentSHA256: the SHA-256 of the current image, to which a patch would be
    ///   applied.
    func refusal(
        of encoding: ManifestEncoding,
        in manifest: Manifest,
        currentSHA256: [UInt8]?
    ) -> ManifestRefusal? {
        let unsupported = ManifestRefusal(.unsupportedEncoding, detail: UInt64(encoding.byte))
        guard Self.compressions.contains(encoding.compression),
            !(encoding.isSealed && unsealingKeys.isEmpty)
        else { return unsupported }
        if encoding.compression == .patch {
            guard Int(encoding.imageByteCount) <= Self.inMemoryByteCountMax,
                manifest.imageByteCount <= Self.inMemoryByteCountMax
            else { return unsupported }
            guard manifest.baseSHA256 == currentSHA256 else { return ManifestRefusal(.wrongBase) }
        }
        guard encoding.isSealed else { return nil }
        let isRecipient = ContentSeal(of: manifest, openedBy: unsealingKeys) != nil
        return isRecipient ? nil : ManifestRefusal(.wrongRecipient)
    }

    /// The limit for an image, base or patch that is held in memory for encoding or decoding:
    /// 64 MiB.
    static let inMemoryByteCountMax = 1 << 26

    //= ENC-2: A receiver MUST NOT keep more decoded bytes than the byte count in the encoding.
    //= ENC-3: A receiver MUST check that the decoded image has exactly the byte count and the
    //= SHA-256 in the encoding before it makes the image current. If the check fails, it MUST end
    //= the session with RESULT *image mismatch*.
    /// Decodes an image from start to end.
    ///
    /// - Parameters:
    ///   - manifest: a manifest with an encoding.
    ///   - base: returns the current image, or `nil` if there is none. Called only for a patch.
    ///   - read: returns exactly the requested bytes of the encoded image, or throws.
    ///   - write: receives the decoded image in order, never more bytes than the encoding
    ///     states.
    /// - Returns: whether the whole image was written and matches the manifest.
    /// - Throws: any error thrown by one of the closures.
    public func decode<Failure: Error>(
        _ manifest: Manifest,
        base: () throws(Failure) -> [UInt8]?,
        read: (Range<Int>) throws(Failure) -> [UInt8],
        write: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard let encoding = manifest.encoding else {
            preconditionFailure("the image was sent unencoded")
        }
        var pieces = EncodedPieces(of: manifest, encoding, openedBy: unsealingKeys)
        var output = DecodedImage(byteCount: manifest.decodedByteCount)
        func put(_ piece: ArraySlice<UInt8>) throws(Failure) -> Bool {
            guard output.take(piece) else { return false }
            try write(piece)
            return true
        }

        switch encoding.compression {
        case .none:
            while let piece = try pieces.next(read) {
                guard try put(piece[...]) else { return false }
            }
        case .zlib:
            let inflater = Inflater()
            while let piece = try pieces.next(read) {
                guard try inflater.inflate(piece, put) else { return false }
            }
            guard inflater.hasEnded else { return false }
        case .patch:
            guard let image = try patched(manifest, &pieces, base, read),
                try put(image[...])
            else { return false }
        default: return false
        }
        return !pieces.haveFailed && output.finish() == manifest.decodedSHA256
    }

    private func patched<Failure: Error>(
        _ manifest: Manifest,
        _ pieces: inout EncodedPieces,
        _ base: () throws(Failure) -> [UInt8]?,
        _ read: (Range<Int>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8]? {
        #if Delta
        guard manifest.decodedByteCount <= Self.inMemoryByteCountMax,
            let base = try base(),
            SHA256.digest(of: base) == manifest.baseSHA256
        else { return nil }
        var patch: [UInt8] = []
        while let piece = try pieces.next(read) {
            patch += piece
            if patch.count > Self.inMemoryByteCountMax { return nil }
        }
        return Patch.apply(patch, to: base, imageByteCount: manifest.decodedByteCount)
        #else
        return nil
        #endif
    }
}

/// Counts and hashes the decoded bytes.
private struct DecodedImage {
    private var byteCountLeft: Int
    private var hasher = SHA256()

    init(byteCount: Int) { byteCountLeft = byteCount }

    /// Counts and hashes a piece, or returns false if it is longer than the rest of the image.
    mutating func take(_ piece: ArraySlice<UInt8>) -> Bool {
        guard piece.count <= byteCountLeft else { return false }
        byteCountLeft -= piece.count
        piece.withUnsafeBytes { hasher.update($0) }
        return true
    }

    /// The SHA-256 of the whole image; `nil` if bytes are missing.
    func finish() -> [UInt8]? { byteCountLeft == 0 ? hasher.digest : nil }
}
