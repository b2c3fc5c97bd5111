extension Order: Stored {
    /// The head and the version 2, the campaign 66, the turn 5, the digest 34, the version 10, the
    /// nonce 13.
    package static let byteCountMax = 130
    package static let itemCount = 5

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let campaign = try reader.name(CampaignID.self)
        let turn = Turn(try reader.number(UInt32.self))
        guard let image = Digest(try reader.bytes()) else { throw .outOfRange }
        let version = try reader.version()
        let nonce = try reader.optional { reader throws(CodecError) in
            guard let nonce = Nonce(try reader.bytes()) else { throw .outOfRange }
            return nonce
        }
        try reader.end()
        self.init(campaign: campaign, turn: turn, image: image, version: version, nonce: nonce)
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(campaign)
        writer.write(UInt64(turn.number))
        writer.write(image.bytes)
        writer.write(version)
        writer.write(nonce) { $0.write($1.bytes) }
        return writer.bytes
    }
}

extension Report: Stored {
    /// The head and the version 2, the campaign 66, the turn 5, the news with a receipt 237.
    package static let byteCountMax = 310
    package static let itemCount = 3

    /// What is said, by number, each with what belongs to it.
    private enum Number: UInt64 {
        case working = 0
        case succeeded = 1
        case failed = 2
        case returned = 3
        case proved = 4
    }

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let campaign = try reader.name(CampaignID.self)
        let turn = Turn(try reader.number(UInt32.self))
        let count = try reader.array(max: 3)
        let news: News
        switch (Number(rawValue: try reader.number()), count) {
        case (.working, 3):
            let stored = try reader.number()
            let whole = try reader.number()
            guard stored <= whole else { throw .outOfRange }
            news = .working(storedByteCount: stored, byteCount: whole)
        case (.succeeded, 1): news = .succeeded
        case (.proved, 2):
            guard let receipt = DeviceReceipt(try reader.bytes()) else { throw .outOfRange }
            news = .proved(receipt)
        case (.failed, 3): news = .failed(try Failure(&reader))
        case (.returned, 1): news = .returned
        default: throw .unexpected
        }
        try reader.end()
        self.init(campaign: campaign, turn: turn, news)
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(campaign)
        writer.write(UInt64(turn.number))
        switch news {
        case .working(let stored, let whole):
            writer.array(3)
            writer.write(Number.working.rawValue)
            writer.write(stored)
            writer.write(whole)
        case .succeeded:
            writer.array(1)
            writer.write(Number.succeeded.rawValue)
        case .proved(let receipt):
            writer.array(2)
            writer.write(Number.proved.rawValue)
            writer.write(receipt.bytes)
        case .failed(let why):
            writer.array(3)
            writer.write(Number.failed.rawValue)
            why.write(to: &writer)
        case .returned:
            writer.array(1)
            writer.write(Number.returned.rawValue)
        }
        return writer.bytes
    }
}
