import CZlib

/// Compresses to a zlib stream (RFC 1950) at zlib's highest compression level.
enum Deflater {
    /// Compresses the bytes, but stops and returns `nil` as soon as the stream exceeds
    /// `byteCountMax`. A long input that must become smaller is judged by a sample first:
    /// compressing all of an encrypted image in vain takes longer than sending it over a fast link.
    static func deflate(_ bytes: [UInt8], byteCountMax: Int) -> [UInt8]? {
        if byteCountMax < bytes.count, bytes.count >= Sample.inputByteCountMin,
            let sample = deflateAll(Sample.of(bytes), byteCountMax: .max),
            sample.count > Sample.byteCount * 99 / 100
        {
            return nil
        }
        return deflateAll(bytes, byteCountMax: byteCountMax)
    }

    /// Pieces of a long input, at equal intervals of 32 KiB or more. An interval is 1/32 of the
    /// input, so a compressible part of 1/20 contains at least one whole piece, which is 3 % of the
    /// sample.
    private enum Sample {
        static let inputByteCountMin = 1 << 20
        static let byteCount = pieceCount * pieceByteCount
        private static let pieceCount = 32
        private static let pieceByteCount = 1 << 13

        static func of(_ bytes: [UInt8]) -> [UInt8] {
            (0..<pieceCount).flatMap { index in
                let start = bytes.count / pieceCount * index
                return bytes[start..<start + pieceByteCount]
            }
        }
    }

    private static func deflateAll(_ bytes: [UInt8], byteCountMax: Int) -> [UInt8]? {
        var stream = z_stream()
        let size = CInt(MemoryLayout<z_stream>.size)
        guard deflateInit_(&stream, Z_BEST_COMPRESSION, ZLIB_VERSION, size) == Z_OK else {
            preconditionFailure("zlib can't start a stream")
        }
        defer { deflateEnd(&stream) }
        var made: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            let end = min(start + pieceByteCount, bytes.count)
            let piece = Array(bytes[start..<end])
            let isLast = end == bytes.count
            made += step(&stream, piece, isLast ? Z_FINISH : Z_NO_FLUSH)
            if made.count > byteCountMax { return nil }
        }
        return made
    }

    private static let pieceByteCount = 1 << 16

    /// Compresses one piece in a single call to zlib.
    private static func step(
        _ stream: inout z_stream,
        _ piece: [UInt8],
        _ flush: CInt
    ) -> [UInt8] {
        // An upper bound for the output from one piece and from the data that zlib has buffered.
        let capacity = Int(deflateBound(&stream, UInt(2 * pieceByteCount)))
        return piece.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                // SAFETY: zlib reads `avail_in` bytes and never writes to its input.
                stream.next_in = input.baseAddress.map(UnsafeMutablePointer.init(mutating:))
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                let status = CZlib.deflate(&stream, flush)
                precondition(status == (flush == Z_FINISH ? Z_STREAM_END : Z_OK))
                precondition(stream.avail_in == 0)
                count = capacity - Int(stream.avail_out)
            }
        }
    }
}
