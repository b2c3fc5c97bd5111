/// A source of an image's bytes.
indirect enum ByteSource: Sendable {
    case file(ImageFile)
    case memory([UInt8])
    /// A range of another source.
    case part(of: ByteSource, Range<Int>)

    var byteCount: Int {
        switch self {
        case .file(let file): file.byteCount
        case .memory(let bytes): bytes.count
        case .part(_, let range): range.count
        }
    }

    /// Fills `buffer` with the bytes from `offset` on. The caller guarantees that the range is
    /// within bounds.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FirmwareError) {
        requireInside(offset: offset, byteCount: buffer.count)
        switch self {
        case .file(let file):
            try file.read(at: offset, into: buffer)
        case .memory(let bytes):
            bytes.withUnsafeBytes { source in
                buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[offset...].prefix(buffer.count))
                )
            }
        case .part(let whole, let range):
            try whole.read(at: range.lowerBound + offset, into: buffer)
        }
    }

    func read(at offset: Int, byteCount: Int) throws(FirmwareError) -> [UInt8] {
        requireInside(offset: offset, byteCount: byteCount)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        try bytes.withUnsafeMutableBufferPointer { buffer throws(FirmwareError) in
            try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return bytes
    }

    private func requireInside(offset: Int, byteCount: Int) {
        precondition(
            (0...self.byteCount).contains(offset)
                && (0...(self.byteCount - offset)).contains(byteCount),
            "a read must stay within the image"
        )
    }

    /// Passes the bytes of `range` to `body` in order, in pieces of at most 64 KiB, so that an
    /// image of any size needs little memory.
    func forEachPiece(
        of range: Range<Int>,
        _ body: (UnsafeRawBufferPointer, _ offset: Int) throws(FirmwareError) -> Void
    ) throws(FirmwareError) {
        var piece = [UInt8](repeating: 0, count: min(range.count, 65_536))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(piece.count, range.upperBound - offset)
            try piece.withUnsafeMutableBufferPointer { buffer throws(FirmwareError) in
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer).prefix(count)
                )
                try read(at: offset, into: part)
                try body(UnsafeRawBufferPointer(part), offset)
            }
            offset += count
        }
    }
}
