extension DeviceRecord: Stored {
    /// The head and the version 2, three names 198, the version 10, a failed job 231, no gateway 1,
    /// the turn 5, which is 447. A device that a gateway has takes less: its job hasn't failed.
    package static let byteCountMax = 447
    package static let itemCount = 7

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let id = try reader.name(DeviceID.self)
        let hardware = try reader.hardware()
        let group = try reader.optional { reader throws(CodecError) in
            try reader.name(GroupName.self)
        }
        let version = try reader.version()
        let job = try reader.optional { reader throws(CodecError) in try Job(&reader) }
        let lessee = try reader.optional { reader throws(CodecError) in
            try reader.name(GatewayID.self)
        }
        let turn = Turn(try reader.number(UInt32.self))
        try reader.end()
        let record = DeviceRecord(id: id, hardware: hardware, group: group, version: version)
        guard let whole = DeviceRecord(record, job: job, lessee: lessee, turn: turn) else {
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
        writer.write(job) { $1.write(to: &$0) }
        writer.write(lease?.gateway) { $0.write($1) }
        writer.write(UInt64(turn.number))
        return writer.bytes
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
        case (.failed, 4): self.init(campaign, .failed(try Failure(&reader)))
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
            writer.array(4)
            writer.write(campaign)
            writer.write(Number.failed.rawValue)
            why.write(to: &writer)
        }
    }
}

extension Failure {
    /// The kind 1, the text 162.
    init(_ reader: inout CBORReader) throws(CodecError) {
        guard let kind = Kind(rawValue: try reader.number(UInt8.self)) else { throw .outOfRange }
        let detail = try reader.text()
        guard detail.utf8.count <= Self.detailByteCountMax else { throw .outOfRange }
        self.init(kind, detail)
    }

    func write(to writer: inout CBORWriter) {
        writer.write(UInt64(kind.rawValue))
        writer.write(detail)
    }
}
