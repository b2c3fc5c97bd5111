import CZlib

/// Decompresses a zlib stream, piece by piece.
///
/// Decompression uses a buffer of 64 KiB, and the memory that zlib needs for a window of 32
/// KiB.
final class Inflater {
    private static let pieceByteCount = 1 << 16

    private var stream = z_stream()
    private var output = [UInt8](repeating: 0, count: pieceByteCount)
    private(set) var hasEnded = false

    init() {
        let version = ZLIB_VERSION
        let byteCount = CInt(MemoryLayout<z_stream>.size)
        guard inflateInit_(&stream, version, byteCount) == Z_OK else {
            preconditionFailure("zlib can't start a stream")
        }
    }

    deinit { inflateEnd(&stream) }

    /// Decompresses the next piece of the stream and passes the output to `body` in pieces of
    /// at most 64 KiB.
    ///
    /// - Parameter body: returns false to stop decompressing.
    /// - Returns: false if the stream is invalid, if data follows its end, or if `body`
    ///   returned false.
    func inflate<Failure: Error>(
        _ piece: [UInt8],
        _ body: (ArraySlice<UInt8>) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        var taken = 0
        while taken < piece.count {
            if hasEnded { return false }
            let (status, takenCount, madeCount) = step(piece, from: taken)
            guard status == Z_OK || status == Z_STREAM_END else { return false }
            hasEnded = status == Z_STREAM_END
            taken += takenCount
            if madeCount > 0, try !body(output[..<madeCount]) { return false }
        }
        // The stream still holds any output that did not fit in the buffer.
        while !hasEnded {
            let (status, _, madeCount) = step([], from: 0)
            if madeCount > 0, try !body(output[..<madeCount]) { return false }
            if status == Z_STREAM_END { hasEnded = true }
            if status == Z_BUF_ERROR { return true }
            guard status == Z_OK || status == Z_STREAM_END else { return false }
        }
        return true
    }

    private func step(
        _ piece: [UInt8],
        from start: Int
    ) -> (status: CInt, takenCount: Int, madeCount: Int) {
        let inputCount = piece.count - start
        return piece.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                // SAFETY: zlib reads `avail_in` bytes and never writes to its input.
                stream.next_in = input.baseAddress.map {
                    UnsafeMutablePointer(mutating: $0 + start)
                }
                stream.avail_in = UInt32(inputCount)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return (
                    status, inputCount - Int(stream.avail_in),
                    output.count - Int(stream.avail_out)
                )
            }
        }
    }
}
