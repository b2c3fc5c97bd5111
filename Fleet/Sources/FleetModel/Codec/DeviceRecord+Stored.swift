extension DeviceRecord: Stored {
    /// The head and the version 2, three names 198, the version 10, a job that waits for another
    /// attempt 241, a gateway 66, the turn 5, the key 67, a nonce 13.
    package static let byteCountMax = 602
    package static let itemCount = 9

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
        let key = try reader.optional { reader throws(CodecError) in
            guard let key = DeviceKey(try reader.bytes()) else { throw .outOfRange }
            return key
        }
        let nonce = try reader.optional { reader throws(CodecError) in
            guard let nonce = Nonce(try reader.bytes()) else { throw .outOfRange }
            return nonce
        }
        try reader.end()
        var record = DeviceRecord(id: id, hardware: hardware, group: group, version: version)
        record.key = key
        let whole = DeviceRecord(record, job: job, lessee: lessee, turn: turn, nonce: nonce)
        guard let whole else { throw .outOfRange }
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
        writer.write(key) { $0.write($1.publicBytes) }
        writer.write(nonce) { $0.write($1.bytes) }
        return writer.bytes
    }
}

extension DeviceKey: Stored {
    /// The head and the version 2, the key 67.
    package static let byteCountMax = 69
    package static let itemCount = 1

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let key = DeviceKey(try reader.bytes())
        try reader.end()
        guard let key else { throw .outOfRange }
        self = key
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(publicBytes)
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
        let count = try reader.array(max: 6)
        let campaign = try reader.name(CampaignID.self)
        switch (Number(rawValue: try reader.number()), count) {
        // Without a reason before the first attempt has failed.
        case (.waiting, 4), (.waiting, 6):
            let attempt = try reader.number(UInt8.self)
            guard (1...RetryPolicy.attemptsMax).contains(attempt) else { throw .outOfRange }
            let notBefore = try reader.moment()
            let why = count == 6 ? try Failure(&reader) : nil
            guard why == nil || attempt > 1 else { throw .outOfRange }
            self.init(campaign, .waiting(attempt: attempt, notBefore: notBefore, after: why))
        case (.succeeded, 3):
            let signed = try reader.number(UInt8.self)
            guard signed <= 1 else { throw .outOfRange }
            self.init(campaign, .succeeded, isSigned: signed == 1)
        case (.failed, 4): self.init(campaign, .failed(try Failure(&reader)))
        default: throw .unexpected
        }
    }

    func write(to writer: inout CBORWriter) {
        switch state {
        case .waiting(let attempt, let notBefore, let why):
            writer.array(why == nil ? 4 : 6)
            writer.write(campaign)
            writer.write(Number.waiting.rawValue)
            writer.write(UInt64(attempt))
            writer.write(notBefore)
            why?.write(to: &writer)
        case .succeeded:
            writer.array(3)
            writer.write(campaign)
            writer.write(Number.succeeded.rawValue)
            writer.write(isSigned ? 1 : 0 as UInt64)
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
