import BLEOTACore
import BLEOTAWire

/// What a sender was told and what it sent, kept apart from its own code.
struct SenderLedger {
    /// What an ACK has to lead to.
    enum Effect: Hashable {
        case ignored
        case adopted
        case advanced
        case malformed
    }

    private let setup: SenderSetup
    private var session: SessionNumber
    private(set) var object = ObjectID.manifest
    private(set) var epoch = Epoch(0)
    private(set) var cumulative: UInt32 = 0
    private(set) var edge: UInt64 = 0
    /// One past the highest chunk that was sent in this epoch.
    private(set) var sentEnd: UInt32 = 0
    private var hasAccount = false
    private var sent: Set<UInt32> = []
    private var shown: Set<UInt32> = []

    init(_ setup: SenderSetup) {
        self.setup = setup
        session = setup.session
    }

    func chunkCount(_ chunkSize: ChunkSize) -> UInt32 {
        Reference.chunkCount(setup.byteCount(of: object), chunkSize)
    }

    /// Notes the session that the sender is in; a new one knows nothing of the old.
    mutating func note(session: SessionNumber) {
        guard session != self.session else { return }
        self.session = session
        hasAccount = false
    }

    /// Takes an account that is delivered to a sender in `phase`.
    mutating func hears(
        _ account: Acknowledgement,
        in phase: SenderPhase,
        chunkSize: ChunkSize
    ) -> Effect {
        switch phase {
        case .discoveringSize, .ended: return .ignored
        case .opening: return adopt(account, chunkSize)
        case .streaming, .awaitingResult:
            let distance = account.epoch.rawValue &- epoch.rawValue
            if (1...127).contains(distance) { return adopt(account, chunkSize) }
            guard distance == 0, account.object == object else { return .ignored }
            return advance(account, chunkSize)
        }
    }

    private mutating func adopt(_ account: Acknowledgement, _ chunkSize: ChunkSize) -> Effect {
        let lowest = account.durableByteCount / UInt32(chunkSize.byteCount)
        guard let cumulative = Reference.atLeast(lowest, account.truncatedCumulative),
            canBeTrue(account, cumulative, chunkSize)
        else { return .malformed }
        hasAccount = true
        object = account.object
        epoch = account.epoch
        self.cumulative = cumulative
        edge = Reference.edge(account.credit, cumulative: cumulative)
        sentEnd = cumulative
        sent = []
        shown = []
        noteShown(account, cumulative)
        return .adopted
    }

    private mutating func advance(_ account: Acknowledgement, _ chunkSize: ChunkSize) -> Effect {
        let lowest = account.durableByteCount / UInt32(chunkSize.byteCount)
        guard let cumulative = Reference.atLeast(lowest, account.truncatedCumulative),
            canBeTrue(account, cumulative, chunkSize)
        else { return .malformed }
        self.cumulative = max(self.cumulative, cumulative)
        edge = max(edge, Reference.edge(account.credit, cumulative: cumulative))
        noteShown(account, cumulative)
        return .advanced
    }

    private func canBeTrue(
        _ account: Acknowledgement,
        _ cumulative: UInt32,
        _ chunkSize: ChunkSize
    ) -> Bool {
        Reference.canBeTrue(
            account,
            cumulative: cumulative,
            objectByteCount: setup.byteCount(of: account.object),
            chunkSize: chunkSize
        )
    }

    private mutating func noteShown(_ account: Acknowledgement, _ cumulative: UInt32) {
        for bit in 0..<account.bitmap.endIndex where account.bitmap[bit] {
            let index = UInt64(cumulative) + 1 + UInt64(bit)
            // The sender can follow no more than its ring holds.
            if index < UInt64(self.cumulative) + UInt64(setup.ringChunkCount) {
                shown.insert(UInt32(index))
            }
        }
    }

    /// Holds a chunk that the sender sends against what it was told.
    mutating func check(
        _ chunk: SenderTransmission.Chunk,
        chunkSize: ChunkSize
    ) throws(BrokenProperty) {
        let index = chunk.index
        try require(hasAccount, "a data frame before the first ACK of its session")
        let header = PseudoHeader(session: session, object: object, epoch: epoch)
        try require(
            chunk.header == header && chunk.object == object,
            "a chunk of another epoch"
        )
        try require(UInt64(index) < edge, "chunk \(index) at or past the edge \(edge)")
        try require(
            index >= cumulative && !shown.contains(index),
            "chunk \(index) had arrived already"
        )
        try require(
            Int(index - cumulative) < min(setup.ringChunkCount, 16_384),
            "chunk \(index) too far past \(cumulative)"
        )
        try require(
            chunk.isRepeated == sent.contains(index),
            "chunk \(index) called repeated, or not"
        )

        let objectByteCount = Int(setup.byteCount(of: object))
        let start = Int(index) * chunkSize.byteCount
        try require(start < objectByteCount, "chunk \(index) past the object")
        let end = min(start + chunkSize.byteCount, objectByteCount)
        try require(chunk.byteRange == start..<end, "chunk \(index) has \(chunk.byteRange)")
        try require(
            chunk.byteRange.count + DataFrame.overheadByteCount <= setup.frameByteCountMax,
            "a data frame does not fit the link"
        )
        sent.insert(index)
        sentEnd = max(sentEnd, index + 1)
    }
}
