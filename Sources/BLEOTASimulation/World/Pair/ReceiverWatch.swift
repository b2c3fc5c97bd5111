import BLEOTACore

/// Holds a receiver to what it said: built from the frames it sends, apart from its code.
struct ReceiverWatch {
    private var session: SessionNumber?
    private var last: Acknowledgement?
    /// The epoch that the receiver told last, in ACK or BUSY: an epoch may pass without an ACK.
    private var epoch: Epoch?
    private var cumulative: UInt32 = 0
    private(set) var edge: UInt64 = 0
    /// Chunks past the cumulative acknowledgement that the last account showed.
    private var shown: Set<UInt32> = []
    private(set) var header: PseudoHeader?

    /// What is wrong with a frame that the receiver sends, if anything.
    mutating func objection(
        to transmission: ReceiverTransmission,
        chunkSize: ChunkSize?,
        controlByteCountMax: Int
    ) -> String? {
        if case .busy(let busy) = transmission.frame, busy.phase != .lookingUp,
            session == transmission.session, let epoch, busy.epoch == epoch.next
        {
            self.epoch = busy.epoch
        }
        guard case .acknowledgement(let account) = transmission.frame else { return nil }
        guard let chunkSize else { return "an ACK in a session that no OPEN began" }
        if account.byteCount > max(controlByteCountMax, 18) { return "an ACK longer than the link" }
        defer { last = account }
        guard session == transmission.session, let last, last.epoch == account.epoch else {
            if session == transmission.session, let epoch, epoch != account.epoch,
                epoch.next != account.epoch
            {
                return "epoch \(account.epoch.rawValue) after \(epoch.rawValue)"
            }
            return begin(account, transmission.session, chunkSize)
        }
        return proceed(account, after: last, chunkSize, controlByteCountMax)
    }

    private mutating func begin(
        _ account: Acknowledgement,
        _ session: SessionNumber,
        _ chunkSize: ChunkSize
    ) -> String? {
        self.session = session
        epoch = account.epoch
        header = PseudoHeader(session: session, object: account.object, epoch: account.epoch)
        let cumulative = account.cumulative(chunkSize: chunkSize)
        self.cumulative = cumulative
        edge = Self.edge(account, cumulative)
        shown = Self.shown(account, cumulative)
        return nil
    }

    private mutating func proceed(
        _ account: Acknowledgement,
        after last: Acknowledgement,
        _ chunkSize: ChunkSize,
        _ controlByteCountMax: Int
    ) -> String? {
        if account.object != last.object { return "another object in the same epoch" }
        // In the order of sending an ACK is the next step from the last, whatever is durable.
        let step = Int16(
            bitPattern: account.truncatedCumulative &- UInt16(truncatingIfNeeded: self.cumulative)
        )
        if step < 0 { return "the cumulative acknowledgement moved back" }
        let cumulative = self.cumulative + UInt32(step)
        if cumulative != account.cumulative(chunkSize: chunkSize) {
            return "the account is too far past what is durable"
        }
        if account.durableByteCount < last.durableByteCount { return "durable moved back" }
        let edge = Self.edge(account, cumulative)
        if edge < self.edge { return "the edge moved back from \(self.edge) to \(edge)" }
        let shown = Self.shown(account, cumulative)
        let bitCount = UInt32(min(8 * (controlByteCountMax - 15), ReceivedBitmap.bitCount))
        for index in self.shown
        where index >= cumulative && index <= cumulative + bitCount && !shown.contains(index) {
            return "chunk \(index) was shown and is withdrawn"
        }
        self.cumulative = cumulative
        self.edge = edge
        self.shown = shown
        return nil
    }

    private static func shown(_ account: Acknowledgement, _ cumulative: UInt32) -> Set<UInt32> {
        var shown: Set<UInt32> = []
        for bit in 0..<account.bitmap.endIndex where account.bitmap[bit] {
            shown.insert(cumulative + 1 + UInt32(bit))
        }
        return shown
    }

    private static func edge(_ account: Acknowledgement, _ cumulative: UInt32) -> UInt64 {
        switch account.credit {
        case .chunks(let count): UInt64(cumulative) + UInt64(count)
        case .unlimited: .max
        }
    }
}
