import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// Makes the image of an encoded one (spec/bleota.md, section 4.5). What a store calls in
/// ``ImageStore/publish(decodedBy:)``, once the encoded image has the hash in its manifest.
///
/// ```swift
/// let isWhole = decoder.decode(manifest, base: { nil }, read: file.read) { image += $0 }
/// ```
///
/// Memory is twice 64 KiB and a window of 32 KiB; for a patch it is the image, the base and the
/// patch, each of at most 64 MiB.
public struct ImageDecoder: Sendable {
    /// For whom a sealed image may be.
    let unsealingKeys: [UnsealingKey]

    /// - Parameter unsealingKeys: whose sealed images can be opened.
    public init(unsealingKeys: [UnsealingKey] = []) { self.unsealingKeys = unsealingKeys }

    /// Which compressions this build can undo.
    static var compressions: [Compression] {
        #if Delta
        [.none, .zlib, .patch]
        #else
        [.none, .zlib]
        #endif
    }

    /// Why an image can't be decoded; `nil` if it can.
    ///
    /// - Parameter currentSHA256: of the image that a patch would be applied to.
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

    /// An image, a base or a patch that is held in memory, here or to make a form, is no longer
    /// than this: 64 MiB.
    static let inMemoryByteCountMax = 1 << 26

    //= ENC-2: A receiver MUST NOT keep more of what it decodes than the byte count in the encoding.
    //= ENC-3: A receiver MUST check that what it decoded ends with the byte count and has the
    //= SHA-256 in the encoding before it makes it current, and end the session with RESULT *image
    //= mismatch* if not.
    /// Decodes an image from its beginning to its end.
    ///
    /// - Parameters:
    ///   - manifest: one with an encoding.
    ///   - base: the image that is current, asked for only where this is a patch against it.
    ///   - read: returns exactly these bytes of the encoded image, or throws.
    ///   - write: takes the next bytes of the image, no more in all than the encoding says.
    /// - Returns: whether all of it was written and is the image that the manifest describes.
    public func decode<Failure: Error>(
        _ manifest: Manifest,
        base: () throws(Failure) -> [UInt8]?,
        read: (Range<Int>) throws(Failure) -> [UInt8],
        write: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard let encoding = manifest.encoding else {
            preconditionFailure("the image travelled as it is")
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

/// What was decoded so far.
private struct DecodedImage {
    private var byteCountLeft: Int
    private var hasher = SHA256()

    init(byteCount: Int) { byteCountLeft = byteCount }

    /// False if this is more than there may be.
    mutating func take(_ piece: ArraySlice<UInt8>) -> Bool {
        guard piece.count <= byteCountLeft else { return false }
        byteCountLeft -= piece.count
        piece.withUnsafeBytes { hasher.update($0) }
        return true
    }

    /// The SHA-256 of all of it; `nil` if something is missing.
    func finish() -> [UInt8]? { byteCountLeft == 0 ? hasher.digest : nil }
}
