import BLEOTACore
import BLEOTAWire

/// Reads the chunks of an image in pieces of 64 KiB, so a chunk that is retransmitted soon costs no
/// further system call.
struct ChunkSource {
    private static let pieceByteCount = 1 << 16

    private let variant: ImageVariant
    private var piece: [UInt8] = []
    private var pieceOffset = 0

    init(_ variant: ImageVariant) { self.variant = variant }

    /// Returns the data frame of a chunk.
    ///
    /// - Throws: a ``FirmwareError`` if the image can't be read or has changed.
    mutating func frame(
        of chunk: SenderTransmission.Chunk
    ) throws(FirmwareError) -> [UInt8] {
        if chunk.object == .manifest {
            return Self.frame(of: chunk, in: variant.manifest.bytes, from: 0)
        }
        if chunk.byteRange.lowerBound < pieceOffset
            || chunk.byteRange.upperBound > pieceOffset + piece.count
        {
            try load(from: chunk.byteRange.lowerBound)
        }
        return Self.frame(of: chunk, in: piece, from: pieceOffset)
    }

    private mutating func load(from offset: Int) throws(FirmwareError) {
        let byteCount = min(Self.pieceByteCount, variant.byteCount - offset)
        piece = try variant.read(at: offset, byteCount: byteCount)
        pieceOffset = offset
    }

    private static func frame(
        of chunk: SenderTransmission.Chunk,
        in bytes: [UInt8],
        from offset: Int
    ) -> [UInt8] {
        let payload = chunk.byteRange.lowerBound - offset..<chunk.byteRange.upperBound - offset
        return [UInt8](
            unsafeUninitializedCapacity: payload.count + DataFrame.overheadByteCount
        ) { buffer, count in
            // SAFETY: `encode` writes the first `count` bytes and returns that number.
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = bytes.span.bytes.withUnsafeBytes { bytes in
                DataFrame.encode(
                    chunkIndex: chunk.index,
                    isPoll: chunk.isPoll,
                    payload: UnsafeRawBufferPointer(rebasing: bytes[payload]).bytes,
                    header: chunk.header,
                    into: &output
                )
            }
        }
    }
}
