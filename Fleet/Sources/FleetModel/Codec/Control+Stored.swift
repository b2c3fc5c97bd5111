extension Seat: Stored {
    /// The head and the version 2, the name 66, the beat 9.
    package static let byteCountMax = 77
    package static let itemCount = 2

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let holder = try reader.name(ControllerID.self)
        let beat = try reader.number()
        try reader.end()
        self.init(holder, beat: beat)
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(holder)
        writer.write(beat)
        return writer.bytes
    }
}

extension StoredImage: Stored {
    /// The head and the version 2, the number 9.
    package static let byteCountMax = 11
    package static let itemCount = 1

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let byteCount = try reader.number()
        try reader.end()
        guard let image = StoredImage(byteCount: byteCount) else { throw .outOfRange }
        self = image
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(byteCount)
        return writer.bytes
    }
}
