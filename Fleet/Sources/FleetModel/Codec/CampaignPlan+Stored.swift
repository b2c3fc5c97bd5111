extension CampaignPlan {
    init(_ reader: inout CBORReader) throws(CodecError) {
        let id = try reader.name(CampaignID.self)
        guard let image = Digest(try reader.bytes()), let content = Digest(try reader.bytes())
        else { throw .outOfRange }
        let version = try reader.version()
        let hardware = try reader.hardware()
        let group = try reader.optional { reader throws(CodecError) in
            try reader.name(GroupName.self)
        }
        let oldest = try reader.optional { reader throws(CodecError) in try reader.version() }
        var shares: [Share] = []
        for _ in 0..<(try reader.array(max: StagePlan.countMax)) {
            shares.append(try reader.share())
        }
        guard let stages = StagePlan(shares) else { throw .outOfRange }
        let failuresAllowed = try reader.share()
        let window = try reader.optional { reader throws(CodecError) in try DayWindow(&reader) }
        let retries = try RetryPolicy(&reader)
        guard let receipts = ReceiptRule(rawValue: try reader.number(UInt8.self)) else {
            throw .outOfRange
        }
        self.init(
            id: id,
            image: image,
            content: content,
            version: version,
            selection: Selection(hardware: hardware, group: group, oldest: oldest),
            stages: stages,
            failuresAllowed: failuresAllowed,
            window: window,
            retries: retries,
            receipts: receipts
        )
    }

    func write(to writer: inout CBORWriter) {
        writer.write(id)
        writer.write(image.bytes)
        writer.write(content.bytes)
        writer.write(version)
        writer.write(selection.hardware)
        writer.write(selection.group) { $0.write($1) }
        writer.write(selection.oldest) { $0.write($1) }
        writer.array(stages.shares.count)
        for share in stages.shares { writer.write(share) }
        writer.write(failuresAllowed)
        writer.write(window) { writer, window in
            writer.array(2)
            writer.write(UInt64(window.opening))
            writer.write(UInt64(window.minutes))
        }
        writer.array(3)
        writer.write(UInt64(retries.attemptCount))
        writer.write(retries.firstPause)
        writer.write(retries.longestPause)
        writer.write(UInt64(receipts.rawValue))
    }
}

extension DayWindow {
    init(_ reader: inout CBORReader) throws(CodecError) {
        try reader.array(2)
        let opening = try reader.number(UInt16.self)
        guard let window = DayWindow(opening: opening, minutes: try reader.number(UInt16.self))
        else { throw .outOfRange }
        self = window
    }
}

extension RetryPolicy {
    init(_ reader: inout CBORReader) throws(CodecError) {
        try reader.array(3)
        let attemptCount = try reader.number(UInt8.self)
        let firstPause = try reader.span()
        let policy = RetryPolicy(
            attemptCount: attemptCount,
            firstPause: firstPause,
            longestPause: try reader.span()
        )
        guard let policy else { throw .outOfRange }
        self = policy
    }
}
