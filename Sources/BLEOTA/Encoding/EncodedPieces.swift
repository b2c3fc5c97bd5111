import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// The pieces of an encoded image, in order. If the image is sealed, each piece is unsealed as it
/// is read.
struct EncodedPieces {
    private let byteCount: Int
    private let pieceByteCount: Int
    private let seal: ContentSeal?
    private var offset = 0
    /// Whether a piece could not be unsealed.
    private(set) var haveFailed = false

    init(of manifest: Manifest, _ encoding: ManifestEncoding, openedBy keys: [UnsealingKey]) {
        byteCount = manifest.imageByteCount
        if encoding.isSealed {
            pieceByteCount = manifest.blockByteCount
            seal = ContentSeal(of: manifest, openedBy: keys)
            haveFailed = seal == nil
        } else {
            pieceByteCount = 1 << 16
            seal = nil
        }
    }

    //= SEAL-2: A receiver MUST discard a piece whose tag is wrong. It MUST then refuse the image as
    //= [ENC-3] says.
    /// The next piece, of at most 64 KiB; `nil` after the last one, or if a piece can't be
    /// unsealed.
    ///
    /// - Parameter read: returns exactly the requested bytes of the encoded image.
    mutating func next<Failure: Error>(
        _ read: (Range<Int>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8]? {
        guard offset < byteCount, !haveFailed else { return nil }
        let range = offset..<min(offset + pieceByteCount, byteCount)
        let piece = try read(range)
        precondition(piece.count == range.count, "read must return the bytes that were requested")
        offset = range.upperBound
        guard let seal else { return piece }
        let opened = seal.open(
            piece,
            index: range.lowerBound / pieceByteCount,
            isLast: offset == byteCount
        )
        haveFailed = opened == nil
        return opened
    }
}
