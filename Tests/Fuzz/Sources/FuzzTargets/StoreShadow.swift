import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// A store that answers only what it was asked, though not always at once nor with good news.
struct StoreShadow {
    struct Pending {
        let task: StorageTask
        let ticket: StorageTicket
    }

    /// What is being received; `nil` before a plan and after the session.
    private(set) var shadow: PlanShadow?
    private(set) var pending: [Pending] = []
    /// The chunk an honest sender sends next.
    var sendNext: UInt32 = 0
    /// Whether a chunk with a wrong content was placed.
    var isTainted = false
    /// What it called durable.
    private(set) var durableByteCount = 0
    private var open: SenderControl.Open?
    private var maps: [GuardedMemory<UInt>] = []

    var isMemoryIntact: Bool { maps.allSatisfy(\.isIntact) }

    mutating func begin(_ open: SenderControl.Open) {
        self.open = open
        shadow = nil
    }

    // MARK: - Tasks

    mutating func take(
        _ task: StorageTask,
        ticket: StorageTicket,
        in phase: ReceiverPhase
    ) throws(BrokenProperty) {
        switch task {
        case .lookUp: try require(phase == .lookingUp, "\(task) in \(phase)")
        case .write:
            try require(!isPending(ticket) { $0 == task }, "\(task) is asked for twice")
        case .judge:
            try require(
                phase == .judging && shadow?.object == .manifest && shadow?.isWhole == true,
                "\(task) in \(phase)"
            )
        case .publish:
            try require(
                phase == .verifying && shadow?.object == .image && shadow?.isWhole == true,
                "\(task) in \(phase)"
            )
        case .release:
            shadow = nil
            return
        }
        pending.append(Pending(task: task, ticket: ticket))
    }

    /// Looks at a block before the receiver asks for it to be written.
    func checkWrite(_ object: ObjectID, _ block: Int, _ bytes: RawSpan) throws(BrokenProperty) {
        guard let shadow else {
            throw BrokenProperty(description: "a block of nothing")
        }
        try require(
            object == shadow.object && (0..<shadow.blockCount).contains(block),
            "block \(block) of object \(object.rawValue)"
        )
        try require(!shadow.isHeld[block], "block \(block) is stored already")
        try shadow.check(bytes, ofBlock: block, isTainted: isTainted)
    }

    /// A state that waits for the store has asked it.
    func checkAsked(in phase: ReceiverPhase, ticket: StorageTicket) throws(BrokenProperty) {
        let isAsked =
            switch phase {
            case .lookingUp: isPending(ticket) { if case .lookUp = $0 { true } else { false } }
            case .judging: isPending(ticket) { $0 == .judge }
            case .verifying: isPending(ticket) { $0 == .publish }
            case .receiving: shadow != nil
            case .idle, .requesting, .finished: true
            }
        try require(isAsked, "nothing to wait for in \(phase)")
    }

    /// Whether the store was asked in the session of the ticket, for something like that.
    func isPending(
        _ ticket: StorageTicket,
        _ isMeant: (StorageTask) -> Bool = { _ in true }
    ) -> Bool {
        pending.contains { $0.ticket == ticket && isMeant($0.task) }
    }

    func staleTicket(_ present: StorageTicket) -> StorageTicket? {
        pending.first { $0.ticket != present }?.ticket
    }

    func placed(_ index: UInt32?, _ datagramByteCount: Int) throws(BrokenProperty) {
        guard let index, let shadow else {
            throw BrokenProperty(description: "bytes that are no chunk are placed")
        }
        try require(index < shadow.chunkCount, "chunk \(index) past the object is placed")
        try require(
            datagramByteCount == shadow.byteRange(ofChunk: index).count
                + DataFrame.overheadByteCount,
            "chunk \(index) of another length is placed"
        )
        try require(!shadow.has(index), "chunk \(index) is placed twice")
        shadow.place(index)
    }

    // MARK: - Answers

    /// The answer to the oldest task, noted as done.
    mutating func nextAnswer(
        in phase: ReceiverPhase,
        _ present: StorageTicket,
        _ input: inout FuzzInput
    ) -> (StorageAnswer, StorageTicket)? {
        guard !pending.isEmpty else { return nil }
        let next = pending.removeFirst()
        let isPresent = next.ticket == present
        let mood = input.byte()
        let answer: StorageAnswer =
            switch next.task {
            case .lookUp: found(mood, isPresent, &input)
            case .write(let object, let block):
                written(block, mood, isPresent && phase == .receiving(object))
            case .judge: judged(mood, isPresent && phase == .judging, &input)
            case .publish: published(mood)
            case .release: preconditionFailure("a release is not kept")
            }
        return (answer, next.ticket)
    }

    private mutating func found(
        _ mood: UInt8,
        _ isPresent: Bool,
        _ input: inout FuzzInput
    ) -> StorageAnswer {
        switch mood {
        case 0xF0...0xF7: return .refused(.busy, detail: 0)
        case 0xF8...0xFF: return .alreadyCurrent(digestPrefix: 7)
        default:
            guard isPresent else { return .refused(.busy, detail: 0) }
            return .planned(newPlan(mood & 1 != 0 ? .manifest : .image, &input))
        }
    }

    private mutating func written(
        _ block: Int,
        _ mood: UInt8,
        _ isWanted: Bool
    ) -> StorageAnswer {
        switch mood {
        case 0xFF: return .refused(.storeFailed, detail: 0)
        case 0xC0..<0xFF:
            if isWanted {
                shadow?.reject(block)
                // With it the receiver takes back what it handed over after it.
                pending.removeAll { if case .write = $0.task { true } else { false } }
            }
            return .rejected(block: block)
        default:
            if isWanted { shadow?.store(block) }
            return .stored(block: block)
        }
    }

    private mutating func judged(
        _ mood: UInt8,
        _ isPresent: Bool,
        _ input: inout FuzzInput
    ) -> StorageAnswer {
        guard isPresent, mood < 0xF8 else { return .refused(.noSpace, detail: 1) }
        return mood >= 0xC0
            ? .manifestMismatch(newPlan(.manifest, &input)) : .planned(newPlan(.image, &input))
    }

    private func published(_ mood: UInt8) -> StorageAnswer {
        switch mood {
        case 0xF8...0xFF: .refused(.storeFailed, detail: 2)
        case 0xA0..<0xF8: .lookUpAgain
        default: .published(digestPrefix: 9)
        }
    }

    private mutating func newPlan(_ object: ObjectID, _ input: inout FuzzInput) -> ObjectPlan {
        guard let open else { preconditionFailure("a plan before OPEN") }
        let shadow = PlanShadow(
            object,
            manifestByteCount: open.manifestByteCount,
            chunkSize: open.chunkSize,
            &input
        )
        maps.append(shadow.words)
        self.shadow = shadow
        durableByteCount = shadow.heldPrefixByteCount
        sendNext = 0
        isTainted = false
        return shadow.plan
    }

    /// How much more is durable; `nil` if nothing is being received.
    mutating func nextDurable(_ input: inout FuzzInput) -> UInt32? {
        guard let shadow else { return nil }
        let left = input.magnitude(bitCountMax: 20)
        durableByteCount = max(durableByteCount, shadow.heldPrefixByteCount - left)
        return UInt32(durableByteCount)
    }

    /// The receiver notes in the map what is stored.
    func checkMap() throws(BrokenProperty) {
        guard let shadow else { return }
        for block in 0..<shadow.blockCount {
            try require(
                shadow.plan.held[block] == shadow.isHeld[block],
                "block \(block) in the map"
            )
        }
    }

}
