extension Progress: Stored {
    /// The head and the version 2, the stage 1, five numbers of devices 25, the moment 9.
    package static let byteCountMax = 37
    package static let itemCount = 7

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let stage = Int(try reader.number(UInt8.self))
        let population = try reader.deviceCount()
        var counts = Tally.Counts()
        counts.given = try reader.deviceCount()
        counts.succeeded = try reader.deviceCount()
        counts.failed = try reader.deviceCount()
        counts.eligible = try reader.deviceCount()
        let moment = try reader.moment()
        try reader.end()
        let progress = Progress(stage: stage, population: population, counts: counts, at: moment)
        guard let progress else { throw .outOfRange }
        self = progress
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(UInt64(stage))
        for count in [population, counts.given, counts.succeeded, counts.failed, counts.eligible] {
            writer.write(UInt64(count.number))
        }
        writer.write(moment)
        return writer.bytes
    }
}
