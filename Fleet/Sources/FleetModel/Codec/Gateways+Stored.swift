extension Sighting: Stored {
    /// The head and the version 2, two names 132, the version 10, the strength 2, the moment 9.
    package static let byteCountMax = 155
    package static let itemCount = 5

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let hardware = try reader.hardware()
        let group = try reader.optional { reader throws(CodecError) in
            try reader.name(GroupName.self)
        }
        let version = try reader.version()
        guard let strength = Int(exactly: try reader.signed()).flatMap({ Strength(dBm: $0) }) else {
            throw .outOfRange
        }
        let moment = try reader.moment()
        try reader.end()
        self.init(
            hardware: hardware,
            group: group,
            version: version,
            strength: strength,
            at: moment
        )
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(hardware)
        writer.write(group) { $0.write($1) }
        writer.write(version)
        writer.write(signed: Int64(strength.dBm))
        writer.write(moment)
        return writer.bytes
    }
}

extension GatewayStatus: Stored {
    /// The head and the version 2, the places 2, the version 10, the beat, the moment and the
    /// instance 9 each.
    package static let byteCountMax = 41
    package static let itemCount = 5

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let places = try reader.number(UInt8.self)
        let program = try reader.version()
        let beat = try reader.number()
        let moment = try reader.moment()
        let instance = try reader.number()
        try reader.end()
        guard
            let status = GatewayStatus(
                places: places,
                program: program,
                beat: beat,
                at: moment,
                instance: instance
            )
        else { throw .outOfRange }
        self = status
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(UInt64(places))
        writer.write(program)
        writer.write(beat)
        writer.write(moment)
        writer.write(instance)
        return writer.bytes
    }
}
