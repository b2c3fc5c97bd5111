import BLEOTACore
import BLEOTAHost

/// Checks a receiver against the frames it has sent, independently of its code.
struct ReceiverWatch {
    private var session: SessionNumber?
    private var last: Acknowledgement?
    /// The last epoch that the receiver announced in an ACK or BUSY; an epoch may pass without an
    /// ACK.
    private var epoch: Epoch?
    private var cumulative: UInt32 = 0
    private(set) var edge: UInt64 = 0
    /// The chunks past the cumulative acknowledgement that the last ACK reported.
    private var shown: Set<UInt32> = []
    private(set) var header: PseudoHeader?

    /// Returns a description of an error in a frame that the receiver sends, or `nil`.
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
        guard case .acknowledgement(let acknowledgement) = transmission.frame else { return nil }
        guard let chunkSize else { return "an ACK in a session that no OPEN started" }
        if acknowledgement.byteCount > max(controlByteCountMax, 18) {
            return "an ACK that is too long for the link"
        }
        defer { last = acknowledgement }
        guard session == transmission.session, let last, last.epoch == acknowledgement.epoch else {
            if session == transmission.session, let epoch, epoch != acknowledgement.epoch,
                epoch.next != acknowledgement.epoch
            {
                return "epoch \(acknowledgement.epoch.rawValue) after \(epoch.rawValue)"
            }
            return begin(acknowledgement, transmission.session, chunkSize)
        }
        return proceed(acknowledgement, after: last, chunkSize, controlByteCountMax)
    }

    private mutating func begin(
        _ acknowledgement: Acknowledgement,
        _ session: SessionNumber,
        _ chunkSize: ChunkSize
    ) -> String? {
        self.session = session
        epoch = acknowledgement.epoch
        header = PseudoHeader(
            session: session,
            object: acknowledgement.object,
            epoch: acknowledgement.epoch
        )
        let cumulative = acknowledgement.cumulative(chunkSize: chunkSize)
        self.cumulative = cumulative
        edge = Self.edge(acknowledgement, cumulative)
        shown = Self.shown(acknowledgement, cumulative)
        return nil
    }

    private mutating func proceed(
        _ acknowledgement: Acknowledgement,
        after last: Acknowledgement,
        _ chunkSize: ChunkSize,
        _ controlByteCountMax: Int
    ) -> String? {
        if acknowledgement.object != last.object { return "another object in the same epoch" }
        // ACKs are checked in sending order, so the previous one suffices to decode each
        // truncated number; the durable byte count is not needed.
        let step = Int16(
            bitPattern: acknowledgement.truncatedCumulative
                &- UInt16(truncatingIfNeeded: self.cumulative)
        )
        if step < 0 { return "the cumulative acknowledgement moved back" }
        let cumulative = self.cumulative + UInt32(step)
        if cumulative != acknowledgement.cumulative(chunkSize: chunkSize) {
            return "the ACK is too far past the durable bytes"
        }
        if acknowledgement.durableByteCount < last.durableByteCount {
            return "the durable byte count moved back"
        }
        let edge = Self.edge(acknowledgement, cumulative)
        if edge < self.edge { return "the edge moved back from \(self.edge) to \(edge)" }
        let shown = Self.shown(acknowledgement, cumulative)
        let bitCount = UInt32(min(8 * (controlByteCountMax - 15), ReceivedBitmap.bitCount))
        for index in self.shown
        where index >= cumulative && index <= cumulative + bitCount && !shown.contains(index) {
            return "chunk \(index) was reported as received, and then withdrawn"
        }
        self.cumulative = cumulative
        self.edge = edge
        self.shown = shown
        return nil
    }

    private static func shown(_ acknowledgement: Acknowledgement, _ cumulative: UInt32) -> Set<
        UInt32
    > {
        var shown: Set<UInt32> = []
        for bit in 0..<acknowledgement.bitmap.endIndex where acknowledgement.bitmap[bit] {
            shown.insert(cumulative + 1 + UInt32(bit))
        }
        return shown
    }

    private static func edge(_ acknowledgement: Acknowledgement, _ cumulative: UInt32) -> UInt64 {
        switch acknowledgement.credit {
        case .chunks(let count): UInt64(cumulative) + UInt64(count)
        case .unlimited: .max
        }
    }
}
