import BLEOTACore
import BLEOTAWire

/// What a receiver said of the object it receives, held against what is there.
struct ReceiverLedger {
    /// How many of the chunks that are acknowledged at once are looked at.
    private static let lookCountMax: UInt32 = 5_000

    private var session = SessionNumber(0)
    private var account: Acknowledgement?
    private(set) var cumulative: UInt32 = 0
    private(set) var edge: UInt64 = 0
    private(set) var header = PseudoHeader.echo
    private(set) var headerBefore = PseudoHeader.echo
    /// Whether the receiver has not changed epochs since.
    private(set) var isCurrent = false

    /// The receiver is to begin a new epoch.
    mutating func expire() { isCurrent = false }

    /// Takes an account of the receiver.
    mutating func hears(
        _ account: Acknowledgement,
        session: SessionNumber,
        of shadow: PlanShadow,
        options: ReceiverOptions
    ) throws(BrokenProperty) {
        try require(account.object == shadow.object, "an account of another object")
        try require(
            account.byteCount <= options.controlByteCountMax,
            "an ACK longer than the link"
        )
        try require(
            (account.credit == .unlimited) == options.leavesPaceToSender,
            "a credit of \(account.credit)"
        )
        let isSameEpoch = session == self.session && account.epoch == self.account?.epoch
        if isSameEpoch {
            try proceed(account, of: shadow)
        } else {
            try begin(account, session, of: shadow)
        }
        try check(account, of: shadow)
        self.account = account
        isCurrent = true
    }

    private mutating func begin(
        _ account: Acknowledgement,
        _ session: SessionNumber,
        of shadow: PlanShadow
    ) throws(BrokenProperty) {
        let lowest = account.durableByteCount / UInt32(shadow.chunkSize.byteCount)
        guard let cumulative = Reference.atLeast(lowest, account.truncatedCumulative) else {
            throw BrokenProperty(description: "a cumulative acknowledgement past 32 bits")
        }
        self.session = session
        headerBefore = header
        header = PseudoHeader(session: session, object: account.object, epoch: account.epoch)
        try checkArrived(from: 0, to: cumulative, of: shadow)
        self.cumulative = cumulative
        edge = Reference.edge(account.credit, cumulative: cumulative)
    }

    private mutating func proceed(
        _ account: Acknowledgement,
        of shadow: PlanShadow
    ) throws(BrokenProperty) {
        let last = self.account!
        try require(account.object == last.object, "another object in the same epoch")
        try require(
            account.durableByteCount >= last.durableByteCount,
            "the durable part moved back"
        )
        let lowest = account.durableByteCount / UInt32(shadow.chunkSize.byteCount)
        guard let cumulative = Reference.atLeast(lowest, account.truncatedCumulative),
            cumulative >= self.cumulative
        else {
            throw BrokenProperty(description: "the cumulative acknowledgement moved back")
        }
        try require(
            cumulative - self.cumulative < 16_384,
            "an epoch that should have been a new one"
        )
        let edge = Reference.edge(account.credit, cumulative: cumulative)
        try require(edge >= self.edge, "the edge moved back")
        try checkNotWithdrawn(from: last, by: account, cumulative)
        try checkArrived(from: self.cumulative, to: cumulative, of: shadow)
        self.cumulative = cumulative
        self.edge = edge
    }

    private func checkNotWithdrawn(
        from last: Acknowledgement,
        by account: Acknowledgement,
        _ cumulative: UInt32
    ) throws(BrokenProperty) {
        let moved = Int(cumulative - self.cumulative)
        // What a cut bitmap leaves out is not withdrawn; see where the last one ended.
        for bit in 0..<last.bitmap.endIndex where last.bitmap[bit] && bit + 1 >= moved {
            let isMissing = bit + 1 == moved || !account.bitmap[bit - moved]
            try require(!isMissing, "bit \(bit) of the bitmap was withdrawn")
        }
    }

    private func checkArrived(
        from start: UInt32,
        to end: UInt32,
        of shadow: PlanShadow
    ) throws(BrokenProperty) {
        try require(end <= shadow.chunkCount, "\(end) chunks of \(shadow.chunkCount)")
        for index in max(start, end - min(end, Self.lookCountMax))..<end {
            try require(shadow.has(index), "chunk \(index) is acknowledged and is not there")
        }
    }

    private func check(
        _ account: Acknowledgement,
        of shadow: PlanShadow
    ) throws(BrokenProperty) {
        try require(
            Reference.canBeTrue(
                account,
                cumulative: cumulative,
                objectByteCount: shadow.plan.byteCount,
                chunkSize: shadow.chunkSize
            ),
            "a malformed account"
        )
        try require(
            Int(account.durableByteCount) <= shadow.heldPrefixByteCount,
            "\(account.durableByteCount) bytes are called durable and are not"
        )
        if cumulative < shadow.chunkCount {
            try require(!shadow.has(cumulative), "chunk \(cumulative) is there and called missing")
        }
        for bit in 0..<account.bitmap.endIndex where account.bitmap[bit] {
            let index = cumulative + 1 + UInt32(bit)
            try require(shadow.has(index), "chunk \(index) is shown and is not there")
        }
    }
}
