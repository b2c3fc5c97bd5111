/// Puts chunks, which may come in any order and more than once, together to blocks.
///
/// It holds a ring of block buffers that begins with the first block not yet stored. A chunk goes
/// straight to its place in one buffer, or in two neighbours where it lies across a border; a
/// chunk that has no place is not taken, and ``edge`` says beforehand which those are. Nothing is
/// ever written outside the ring, and never past the object.
public struct Reassembler: ~Copyable {
    /// What became of a chunk.
    public enum Placement: Hashable, Sendable {
        /// It was missing, and now is not.
        case placed
        /// It had arrived before.
        case repeated
        /// It lies at or past the edge.
        case beyondEdge
        /// It does not have the length of that chunk.
        case wrongLength
    }

    private let pin = Pin()
    private let memory: ReceiverMemory
    private var plan: ObjectPlan
    private var packetizer: Packetizer
    private var slotCount = 0
    /// The first block that is not stored; the ring begins there.
    private var baseBlock = 0
    /// The first chunk that is missing; the chunk count if none is.
    public private(set) var cumulative: UInt32 = 0
    /// One past the highest chunk that arrived.
    public private(set) var highestEnd: UInt32 = 0
    /// Blocks that are whole and wait for ``nextCompleteBlock()``.
    private var completeCount = 0
    /// Blocks that are with the store.
    public private(set) var handedOverCount = 0

    /// One that waits for an object.
    init(memory: ReceiverMemory) {
        self.memory = memory
        plan = ObjectPlan.none(memory)
        packetizer = Packetizer(objectByteCount: 1, chunkSize: .smallest)
    }

    /// Begins an object.
    ///
    /// - Returns: `nil` if the memory does not hold two blocks of it, or so little that the chunks
    ///   of a block would not all find a place.
    public init?(plan: ObjectPlan, chunkSize: ChunkSize, memory: ReceiverMemory) {
        self.init(memory: memory)
        guard begin(plan, chunkSize: chunkSize) else { return nil }
    }

    /// Begins an object, in place of the one before; false, and nothing is begun, where the
    /// initializer gives `nil`.
    mutating func begin(_ plan: ObjectPlan, chunkSize: ChunkSize) -> Bool {
        let slotCount = min(memory.blocks.count / plan.blockByteCount, memory.slots.count)
        guard slotCount >= min(2, plan.held.blockCount),
            Self.canFinishBlocks(of: plan, chunkSize, slotCount, memory.receiptCount)
        else { return false }
        self.plan = plan
        self.slotCount = slotCount
        packetizer = Packetizer(objectByteCount: plan.byteCount, chunkSize: chunkSize)
        baseBlock = plan.held.firstMissing(from: 0)
        cumulative = 0
        highestEnd = 0
        completeCount = 0
        handedOverCount = 0
        memory.receipts.update(repeating: 0)
        for block in baseBlock..<min(baseBlock + slotCount, plan.held.blockCount) {
            prepareSlot(of: block)
        }
        advanceCumulative()
        return true
    }

    /// Whether the last chunk of the ring's first block always ends inside the ring, and the
    /// receipts reach from the block's first chunk to its last; else the ring could stand still.
    private static func canFinishBlocks(
        of plan: ObjectPlan,
        _ chunkSize: ChunkSize,
        _ slotCount: Int,
        _ receiptCount: Int
    ) -> Bool {
        // A chunk begins at a multiple of 4, so at the latest 4 bytes before the block's end.
        let isRingLongEnough =
            slotCount >= plan.held.blockCount
            || (slotCount - 1) * plan.blockByteCount + 4 >= chunkSize.byteCount
        let chunkCountOfBlock = (plan.blockByteCount - 1) / chunkSize.byteCount + 2
        let chunkCount = (Int(plan.byteCount) - 1) / chunkSize.byteCount + 1
        return isRingLongEnough && receiptCount >= min(chunkCountOfBlock, chunkCount)
    }

    /// The length of all chunks but the last.
    var chunkByteCount: Int { packetizer.chunkSize.byteCount }

    /// How many chunks the object has.
    public var chunkCount: UInt32 { packetizer.chunkCount }

    /// Whether every chunk has arrived.
    public var isComplete: Bool { cumulative == chunkCount }

    /// The length of the longest beginning of the object whose blocks are stored.
    var storedByteCount: Int { min(baseBlock * plan.blockByteCount, Int(plan.byteCount)) }

    /// Whether every block is stored.
    public var isStored: Bool { baseBlock == plan.held.blockCount }

    /// How many chunks the ring holds when all of it is free.
    var chunkCountOfRing: UInt32 {
        UInt32(slotCount * plan.blockByteCount / packetizer.chunkSize.byteCount)
    }

    //= CREDIT-3: A receiver MUST NOT give credit for more than it can place without losing
    //= anything.
    /// The first chunk that can't be placed: it ends past the ring, or past what 15 bits of index
    /// can tell apart.
    public var edge: UInt32 {
        let ringEnd = min((baseBlock + slotCount) * plan.blockByteCount, Int(plan.byteCount))
        let byRing =
            ringEnd == Int(plan.byteCount)
            ? chunkCount : UInt32(ringEnd / packetizer.chunkSize.byteCount)
        // Blocks held from before can have taken the first missing chunk past the ring.
        return max(cumulative, min(byRing, receiptsEnd))
    }

    /// The first chunk that the sender should not send yet: the edge, or sooner where chunks lie
    /// before it that are held from before and that an ACK does not reach to show.
    ///
    /// - Parameter shownCount: how many chunks past the first missing one an ACK shows.
    func edge(showing shownCount: UInt32) -> UInt32 {
        let edge = edge
        let firstHidden = max(cumulative + 1 + shownCount, highestEnd)
        guard firstHidden < edge else { return edge }
        let held = plan.held.firstHeld(
            from: packetizer.byteRange(ofChunk: firstHidden).lowerBound / plan.blockByteCount
        )
        guard held < plan.held.blockCount else { return edge }
        let isHidden = held * plan.blockByteCount < Int(edge) * packetizer.chunkSize.byteCount
        return isHidden ? firstHidden : edge
    }

    /// One past the last chunk that the receipts can follow. Counted from the ring's first chunk,
    /// to which a rejected block can take us back.
    private var receiptsEnd: UInt32 {
        let first = packetizer.chunk(containing: baseBlock * plan.blockByteCount)
        return first + UInt32(min(memory.receiptCount, Credit.chunkCountMax))
    }

    /// The chunks an ACK shows past the first missing one.
    public var bitmap: ReceiptBitmap {
        var bitmap = ReceiptBitmap()
        let first = UInt64(cumulative) + 1
        let end = min(UInt64(edge), first + UInt64(ReceiptBitmap.bitCount))
        let hasHeldAhead = plan.held.firstHeld(from: baseBlock) < plan.held.blockCount
        let last = hasHeldAhead ? end : min(end, UInt64(highestEnd))
        var index = first
        while index < last {
            if hasArrived(UInt32(index)) { bitmap[Int(index - first)] = true }
            index += 1
        }
        return bitmap
    }

    //= DATA-3: A receiver MUST drop a data frame whose payload is not exactly the chunk size, or
    //= for the last chunk exactly the rest of the object; past the last chunk no payload fits.
    //= DATA-4: A receiver MUST drop a data frame whose index is at or past its edge.
    //= OBJ-7: A receiver MUST NOT write outside the object, whatever a frame says.
    /// Takes a chunk.
    public mutating func place(_ payload: RawSpan, at index: UInt32) -> Placement {
        guard index < edge else { return .beyondEdge }
        let range = packetizer.byteRange(ofChunk: index)
        guard payload.byteCount == range.count else { return .wrongLength }
        guard index >= cumulative, !hasArrived(index) else { return .repeated }
        var start = range.lowerBound
        while start < range.upperBound {
            let block = start / plan.blockByteCount
            let end = min((block + 1) * plan.blockByteCount, range.upperBound)
            fill(
                block,
                with: payload.extracting(start - range.lowerBound..<end - range.lowerBound),
                at: start - block * plan.blockByteCount
            )
            start = end
        }
        setReceipt(index, true)
        highestEnd = max(highestEnd, index + 1)
        if index == cumulative { advanceCumulative() }
        return .placed
    }

    /// Whether ``nextCompleteBlock()`` has one.
    public var hasCompleteBlock: Bool { completeCount > 0 }

    /// The next block that is whole and not yet handed over, lowest first; hands it over.
    public mutating func nextCompleteBlock() -> Int? {
        guard completeCount > 0 else { return nil }
        var block = baseBlock
        while slot(of: block).status != .complete { block += 1 }
        completeCount -= 1
        handedOverCount += 1
        memory.slots[block % slotCount].status = .handedOver
        return block
    }

    /// The bytes of a block that was handed over.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(isHandedOver(block))
        return body(UnsafeRawBufferPointer(buffer(of: block)).bytes)
    }

    /// A block that was handed over is stored: its buffer is free for another.
    public mutating func stored(_ block: Int) {
        precondition(isHandedOver(block))
        memory.slots[block % slotCount].status = .stored
        handedOverCount -= 1
        plan.held[block] = true
        while baseBlock < plan.held.blockCount, plan.held[baseBlock] {
            let entering = baseBlock + slotCount
            baseBlock += 1
            if entering < plan.held.blockCount { prepareSlot(of: entering) }
        }
    }

    /// A block that was handed over is wrong: everything in it is missing again.
    public mutating func rejected(_ block: Int) {
        precondition(isHandedOver(block))
        handedOverCount -= 1
        prepareSlot(of: block)
        let start = block * plan.blockByteCount
        let end = min(start + plan.blockByteCount, Int(plan.byteCount))
        let first = UInt32(start / packetizer.chunkSize.byteCount)
        let last = UInt32((end - 1) / packetizer.chunkSize.byteCount)
        // The receipts of what the cumulative acknowledgement had passed were given up. Past those
        // that can be followed it passed held blocks alone, which need none.
        for index in first..<max(first, min(cumulative, receiptsEnd)) { setReceipt(index, true) }
        cumulative = min(cumulative, first)
        for index in first...last {
            // The part of the chunk that lies in a neighbour has to come again as well, unless
            // that neighbour is whole.
            giveBack(index, except: block)
            setReceipt(index, false)
        }
        advanceCumulative()
    }

    /// Whether this block is with the store.
    public func isHandedOver(_ block: Int) -> Bool {
        (baseBlock..<min(baseBlock + slotCount, plan.held.blockCount)).contains(block)
            && slot(of: block).status == .handedOver
    }

    // MARK: - Slots

    private func slot(of block: Int) -> BlockSlot { memory.slots[block % slotCount] }

    private func byteCount(of block: Int) -> Int {
        min(plan.blockByteCount, Int(plan.byteCount) - block * plan.blockByteCount)
    }

    private func buffer(of block: Int) -> UnsafeMutableRawBufferPointer {
        let start = (block % slotCount) * plan.blockByteCount
        return UnsafeMutableRawBufferPointer(
            rebasing: memory.blocks[start..<start + byteCount(of: block)]
        )
    }

    private func prepareSlot(of block: Int) {
        var slot = BlockSlot()
        slot.status = plan.held[block] ? .stored : .filling
        slot.missingByteCount = UInt32(byteCount(of: block))
        memory.slots[block % slotCount] = slot
    }

    private mutating func fill(_ block: Int, with bytes: RawSpan, at offset: Int) {
        guard block >= baseBlock, slot(of: block).status == .filling else { return }
        let target = UnsafeMutableRawBufferPointer(
            rebasing: buffer(of: block)[offset..<offset + bytes.byteCount]
        )
        bytes.withUnsafeBytes { target.copyMemory(from: $0) }
        memory.slots[block % slotCount].missingByteCount -= UInt32(bytes.byteCount)
        if memory.slots[block % slotCount].missingByteCount == 0 {
            memory.slots[block % slotCount].status = .complete
            completeCount += 1
        }
    }

    private func giveBack(_ index: UInt32, except rejected: Int) {
        guard hasReceipt(index) else { return }
        let range = packetizer.byteRange(ofChunk: index)
        var start = range.lowerBound
        while start < range.upperBound {
            let block = start / plan.blockByteCount
            let end = min((block + 1) * plan.blockByteCount, range.upperBound)
            if block != rejected, block >= baseBlock, slot(of: block).status == .filling {
                memory.slots[block % slotCount].missingByteCount += UInt32(end - start)
            }
            start = end
        }
    }

    // MARK: - Receipts

    private func hasReceipt(_ index: UInt32) -> Bool {
        let bit = Int(index) & (memory.receiptCount - 1)
        return memory.receipts[bit / UInt.bitWidth] & (1 &<< UInt(bitPattern: bit)) != 0
    }

    private func setReceipt(_ index: UInt32, _ isReceived: Bool) {
        let bit = Int(index) & (memory.receiptCount - 1)
        let mask = 1 &<< UInt(bitPattern: bit)
        if isReceived {
            memory.receipts[bit / UInt.bitWidth] |= mask
        } else {
            memory.receipts[bit / UInt.bitWidth] &= ~mask
        }
    }

    /// Whether a chunk from the cumulative acknowledgement on arrived, or lies in held blocks
    /// whole.
    private func hasArrived(_ index: UInt32) -> Bool {
        if hasReceipt(index) { return true }
        let range = packetizer.byteRange(ofChunk: index)
        var block = range.lowerBound / plan.blockByteCount
        let last = (range.upperBound - 1) / plan.blockByteCount
        while block <= last {
            guard plan.held[block] else { return false }
            block += 1
        }
        return true
    }

    private mutating func advanceCumulative() {
        while cumulative < chunkCount {
            if hasReceipt(cumulative) {
                // The place in the ring is free for the chunk one round later.
                setReceipt(cumulative, false)
                cumulative += 1
                continue
            }
            let firstMissing = plan.held.firstMissing(
                from: packetizer.byteRange(ofChunk: cumulative).lowerBound / plan.blockByteCount
            )
            let next = packetizer.chunk(containing: firstMissing * plan.blockByteCount)
            guard next > cumulative else { break }
            // Receipts of chunks in held blocks are of no more use.
            for index in cumulative..<min(next, cumulative + UInt32(memory.receiptCount)) {
                setReceipt(index, false)
            }
            cumulative = next
        }
        highestEnd = max(highestEnd, cumulative)
    }
}
