extension DeviceRecord: Stored {
    /// The head and the version 2, three names 198, the version 10, eight sightings 1 + 8 × 78, the
    /// job 78, which is 913.
    package static let byteCountMax = 913
    package static let itemCount = 6

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let id = try reader.name(DeviceID.self)
        let hardware = try reader.name(HardwareName.self)
        let group = try reader.optional { reader throws(CodecError) in
            try reader.name(GroupName.self)
        }
        let version = try reader.version()
        var sightings: [Sighting] = []
        for _ in 0..<(try reader.array(max: Self.sightingsMax)) {
            sightings.append(try Sighting(&reader))
        }
        let job = try reader.optional { reader throws(CodecError) in try Job(&reader) }
        try reader.end()
        let record = DeviceRecord(id: id, hardware: hardware, group: group, version: version)
        guard let whole = DeviceRecord(record, sightings: sightings, job: job) else {
            throw .outOfRange
        }
        self = whole
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(id)
        writer.write(hardware)
        writer.write(group) { $0.write($1) }
        writer.write(version)
        writer.array(sightings.count)
        for sighting in sightings { sighting.write(to: &writer) }
        writer.write(job) { $1.write(to: &$0) }
        return writer.bytes
    }
}

extension Sighting {
    init(_ reader: inout CBORReader) throws(CodecError) {
        try reader.array(3)
        let gateway = try reader.name(GatewayID.self)
        guard let strength = Int8(exactly: try reader.signed()) else { throw .outOfRange }
        let moment = try reader.moment()
        guard let sighting = Sighting(by: gateway, strength: strength, at: moment) else {
            throw .outOfRange
        }
        self = sighting
    }

    func write(to writer: inout CBORWriter) {
        writer.array(3)
        writer.write(gateway)
        writer.write(signed: Int64(strength))
        writer.write(moment)
    }
}

extension Job {
    /// The states by number, each with what belongs to it.
    private enum Number: UInt64 {
        case waiting = 0
        case succeeded = 1
        case failed = 2
    }

    init(_ reader: inout CBORReader) throws(CodecError) {
        let count = try reader.array(max: 4)
        let campaign = try reader.name(CampaignID.self)
        switch (Number(rawValue: try reader.number()), count) {
        case (.waiting, 4):
            let attempt = try reader.number(UInt8.self)
            guard (1...RetryPolicy.attemptsMax).contains(attempt) else { throw .outOfRange }
            self.init(campaign, .waiting(attempt: attempt, notBefore: try reader.moment()))
        case (.succeeded, 2): self.init(campaign, .succeeded)
        case (.failed, 3):
            guard let why = Failure(rawValue: try reader.number(UInt8.self)) else {
                throw .outOfRange
            }
            self.init(campaign, .failed(why))
        default: throw .unexpected
        }
    }

    func write(to writer: inout CBORWriter) {
        switch state {
        case .waiting(let attempt, let notBefore):
            writer.array(4)
            writer.write(campaign)
            writer.write(Number.waiting.rawValue)
            writer.write(UInt64(attempt))
            writer.write(notBefore)
        case .succeeded:
            writer.array(2)
            writer.write(campaign)
            writer.write(Number.succeeded.rawValue)
        case .failed(let why):
            writer.array(3)
            writer.write(campaign)
            writer.write(Number.failed.rawValue)
            writer.write(UInt64(why.rawValue))
        }
    }
}
