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

    // What several functions share is never inlined: its code counts in a microcontroller.

    private let pin = Pin()
    private let memory: ReceiverMemory
    private var held: BlockMap
    /// The length of the object.
    private var byteCount: UInt32 = 1
    private var blockByteCount: UInt32 = 1
    /// The length of all chunks but the last.
    private(set) var chunkByteCount: UInt32 = 1
    /// How many chunks the object has.
    public private(set) var chunkCount: UInt32 = 0
    /// How many blocks the memory holds; together they have less than 2³² bytes.
    private var slotCount: UInt32 = 1
    /// The first block that is not stored; the ring begins there.
    private var baseBlock: UInt32 = 0
    /// One past the last block of the ring.
    private var endBlock: UInt32 = 0
    /// The first chunk that ends past the ring or that the receipts can't follow. No chunk from
    /// there on was ever placed.
    private var ringEdge: UInt32 = 0
    /// The first chunk that is missing; the chunk count if none is.
    public private(set) var cumulative: UInt32 = 0
    /// One past the highest chunk that arrived.
    public private(set) var highestEnd: UInt32 = 0
    /// Blocks that are whole and wait for ``nextCompleteBlock()``.
    private var completeCount: UInt32 = 0

    /// One that waits for an object.
    init(memory: ReceiverMemory) {
        self.memory = memory
        held = BlockMap(blockCount: 0, in: memory.receipts)
    }

    /// Begins an object.
    ///
    /// - Returns: `nil` if the memory does not hold two blocks of it, or so little that the chunks
    ///   of a block would not all find a place.
    public init?(plan: ObjectPlan, chunkSize: ChunkSize, memory: ReceiverMemory) {
        self.init(memory: memory)
        guard begin(plan, chunkSize: chunkSize) else { return nil }
    }

    /// Begins an object, in place of the one before; false where the initializer gives `nil`, and
    /// then nothing else may be asked of it.
    mutating func begin(_ plan: ObjectPlan, chunkSize: ChunkSize) -> Bool {
        held = plan.held
        byteCount = plan.byteCount
        blockByteCount = UInt32(clamping: UInt(bitPattern: plan.blockByteCount))
        chunkByteCount = UInt32(chunkSize.wordCount) &* 4
        chunkCount = (byteCount &- 1) / chunkByteCount &+ 1
        slotCount = min(
            UInt32(clamping: UInt(bitPattern: memory.blocks.count)) / blockByteCount,
            UInt32(clamping: UInt(bitPattern: memory.slots.count))
        )
        guard canFinishBlocks else { return false }
        baseBlock = 0
        endBlock = 0
        cumulative = 0
        highestEnd = 0
        completeCount = 0
        memory.receipts.update(repeating: 0)
        moveRing()
        advanceCumulative()
        return true
    }

    /// Whether there are two blocks, the last chunk of the ring's first block always ends inside
    /// the ring, and the receipts reach from the block's first chunk to its last; else the ring
    /// could stand still.
    private var canFinishBlocks: Bool {
        // A chunk begins at a multiple of 4, so at the latest 4 bytes before the block's end.
        let isRingLongEnough =
            slotCount >= held.count
            || slotCount >= 2 && (slotCount &- 1) &* blockByteCount >= chunkByteCount &- 4
        let chunkCountOfBlock = (blockByteCount &- 1) / chunkByteCount &+ 2
        return isRingLongEnough && followedCount >= min(chunkCountOfBlock, chunkCount)
    }

    /// Whether every chunk has arrived.
    public var isComplete: Bool { cumulative == chunkCount }

    /// The length of the longest beginning of the object whose blocks are stored.
    var storedByteCount: UInt32 { isStored ? byteCount : baseBlock &* blockByteCount }

    /// Whether every block is stored.
    public var isStored: Bool { baseBlock == held.count }

    /// How many chunks the ring holds when all of it is free.
    var chunkCountOfRing: UInt32 { slotCount &* blockByteCount / chunkByteCount }

    //= CREDIT-3: A receiver MUST NOT give credit for more than it can place without losing
    //= anything.
    /// The first chunk that can't be placed: it ends past the ring, or past what 15 bits of index
    /// can tell apart.
    public var edge: UInt32 {
        // Blocks held from before can have taken the first missing chunk past the ring.
        max(cumulative, ringEdge)
    }

    /// The first chunk that the sender should not send yet: the edge, or sooner where chunks lie
    /// before it that are held from before and that an ACK does not reach to show.
    ///
    /// - Parameter shownCount: how many chunks past the first missing one an ACK shows.
    func edge(showing shownCount: UInt32) -> UInt32 {
        let firstHidden = max(cumulative &+ 1 &+ shownCount, highestEnd)
        guard firstHidden < edge else { return edge }
        let isHidden = firstChunk(ofBlock: held.firstHeld(from: block(ofChunk: firstHidden))) < edge
        return isHidden ? firstHidden : edge
    }

    /// Writes the bitmap of an ACK, a bit for each chunk past the first missing one, from `offset`
    /// on; returns its length without zeros at its end.
    ///
    /// - Parameter shownCount: how many chunks an ACK shows; they have room in `output`.
    func writeBitmap(
        showing shownCount: UInt32,
        at offset: Int,
        into output: inout MutableRawSpan
    ) -> Int {
        let first = cumulative &+ 1
        var end = min(edge, first &+ shownCount)
        // Nothing but what is held from before lies past what arrived.
        if held.firstHeld(from: baseBlock) == held.count { end = min(end, highestEnd) }
        var byteCount = 0
        var byte: UInt8 = 0
        var arrivedEnd = first
        var index = first
        while index < end {
            if arrivedEnd <= index { arrivedEnd = self.arrivedEnd(from: index) }
            let bit = index &- first
            if bit % 8 == 0 { byte = 0 }
            if arrivedEnd > index {
                byte |= 1 &<< UInt8(truncatingIfNeeded: bit)
                byteCount = Int(truncatingIfNeeded: bit / 8 &+ 1)
            }
            output.storeBytes(
                of: byte,
                toByteOffset: offset &+ Int(truncatingIfNeeded: bit / 8),
                as: UInt8.self
            )
            index &+= 1
        }
        return byteCount
    }

    //= DATA-3: A receiver MUST drop a data frame whose payload is not exactly the chunk size, or
    //= for the last chunk exactly the rest of the object; past the last chunk no payload fits.
    //= DATA-4: A receiver MUST drop a data frame whose index is at or past its edge.
    //= OBJ-7: A receiver MUST NOT write outside the object, whatever a frame says.
    /// Takes a chunk.
    public mutating func place(_ payload: RawSpan, at index: UInt32) -> Placement {
        guard index < edge else { return .beyondEdge }
        guard payload.byteCount == Int(truncatingIfNeeded: byteCount(ofChunk: index)) else {
            return .wrongLength
        }
        guard index >= cumulative, arrivedEnd(from: index) <= index else { return .repeated }
        // A chunk has a byte at least, so its payload has an address.
        payload.withUnsafeBytes { payload in fill(index, with: payload.baseAddress) }
        setReceipts(from: index, to: index &+ 1, true)
        highestEnd = max(highestEnd, index &+ 1)
        advanceCumulative()
        return .placed
    }

    /// Whether ``nextCompleteBlock()`` has one.
    public var hasCompleteBlock: Bool { completeCount > 0 }

    /// The next block that is whole and not yet handed over, lowest first; hands it over.
    public mutating func nextCompleteBlock() -> Int? {
        guard completeCount > 0 else { return nil }
        var block = baseBlock
        // In ascending order: one that comes later waits for all before it.
        while memory.slots[slot(of: block)].status == .stored
            || memory.slots[slot(of: block)].status == .handedOver
        { block &+= 1 }
        guard memory.slots[slot(of: block)].status == .complete else { return nil }
        completeCount &-= 1
        memory.slots[slot(of: block)].status = .handedOver
        return Int(truncatingIfNeeded: block)
    }

    /// The bytes of a block that was handed over.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(isHandedOver(block))
        let block = UInt32(truncatingIfNeeded: block)
        // SAFETY: `ringOffset` is that of a whole block in the ring, and this one is no longer.
        let bytes = UnsafeRawBufferPointer(
            start: memory.blocks.baseAddress! + ringOffset(ofBlock: block),
            count: Int(truncatingIfNeeded: byteCount(ofBlock: block))
        )
        return body(bytes.bytes)
    }

    /// A block that was handed over is stored: its buffer is free for another.
    ///
    /// - Returns: false, and nothing is done, if it was not handed over.
    @discardableResult
    public mutating func stored(_ block: Int) -> Bool {
        guard isHandedOver(block) else { return false }
        let block = UInt32(truncatingIfNeeded: block)
        held[block] = true
        prepareSlot(of: block)
        moveRing()
        return true
    }

    /// A block that was handed over is wrong: everything in it is missing again.
    ///
    /// - Returns: false, and nothing is done, if it was not handed over.
    @discardableResult
    public mutating func rejected(_ block: Int) -> Bool {
        guard isHandedOver(block) else { return false }
        let block = UInt32(truncatingIfNeeded: block)
        let start = block &* blockByteCount
        let first = start / chunkByteCount
        let end = (start &+ byteCount(ofBlock: block) &- 1) / chunkByteCount &+ 1
        // The receipts of what the cumulative acknowledgement had passed were given up. Past the
        // ring it passed held blocks alone, which need none.
        setReceipts(from: first, to: min(cumulative, ringEdge), true)
        cumulative = min(cumulative, first)
        // The part of a chunk that lies in a neighbour has to come again as well, unless that
        // neighbour is whole.
        var index = first
        while index < end {
            if hasReceipt(index) { fill(index, with: nil) }
            index &+= 1
        }
        setReceipts(from: first, to: end, false)
        prepareSlot(of: block)
        advanceCumulative()
        return true
    }

    /// Whether this block is with the store.
    @inline(never)
    public func isHandedOver(_ block: Int) -> Bool {
        // Without a sign, the distance of a block that lies before the ring is past it too.
        let distance = UInt(bitPattern: block) &- UInt(baseBlock)
        return distance < UInt(endBlock &- baseBlock)
            && memory.slots[slot(of: UInt32(truncatingIfNeeded: block))].status == .handedOver
    }

    // MARK: - Blocks and chunks

    // An offset in the object, and one in the ring, has 32 bits, and so has the product of a block
    // below the block count and the length of a block, and of a chunk below the chunk count and the
    // length of a chunk. Where a block or chunk ends may not have, so that is never computed.

    /// The block in which a chunk begins.
    private func block(ofChunk index: UInt32) -> UInt32 { index &* chunkByteCount / blockByteCount }

    /// The chunk that has the first byte of a block; the chunk count past the last block.
    private func firstChunk(ofBlock block: UInt32) -> UInt32 {
        block < held.count ? block &* blockByteCount / chunkByteCount : chunkCount
    }

    private func byteCount(ofBlock block: UInt32) -> UInt32 {
        min(blockByteCount, byteCount &- block &* blockByteCount)
    }

    private func byteCount(ofChunk index: UInt32) -> UInt32 {
        min(chunkByteCount, byteCount &- index &* chunkByteCount)
    }

    // MARK: - The ring

    private func slot(of block: UInt32) -> Int { Int(truncatingIfNeeded: block % slotCount) }

    /// Where the buffer of a block begins. The memory has room for `slotCount` of them, and a slot
    /// is below that.
    private func ringOffset(ofBlock block: UInt32) -> Int {
        Int(truncatingIfNeeded: block % slotCount &* blockByteCount)
    }

    /// Begins the ring at the first block that is not stored, and lets those enter for which there
    /// is room.
    private mutating func moveRing() {
        baseBlock = held.firstMissing(from: baseBlock)
        endBlock = max(endBlock, baseBlock)
        while endBlock < held.count, endBlock &- baseBlock < slotCount {
            prepareSlot(of: endBlock)
            endBlock &+= 1
        }
        // Counted from the ring's first chunk, to which a rejected block can take us back.
        ringEdge = min(
            firstChunk(ofBlock: endBlock),
            firstChunk(ofBlock: baseBlock) &+ followedCount
        )
    }

    @inline(never)
    private func prepareSlot(of block: UInt32) {
        var slot = BlockSlot()
        slot.status = held[block] ? .stored : .filling
        slot.missingByteCount = byteCount(ofBlock: block)
        memory.slots[self.slot(of: block)] = slot
    }

    /// Puts a chunk into those of its blocks that are not whole, or without a payload takes it out
    /// of them.
    @inline(never)
    private mutating func fill(_ index: UInt32, with payload: UnsafeRawPointer?) {
        let start = index &* chunkByteCount
        let byteCount = byteCount(ofChunk: index)
        var done: UInt32 = 0
        while done < byteCount {
            let block = (start &+ done) / blockByteCount
            let offset = (start &+ done) % blockByteCount
            let count = min(byteCount &- done, blockByteCount &- offset)
            if block >= baseBlock, memory.slots[slot(of: block)].status == .filling {
                let slot = slot(of: block)
                if let payload {
                    // SAFETY: `ringOffset` is that of a whole block in the ring, of which this is a
                    // part: `offset + count` is at most its length. `place` saw to it that the
                    // payload has `byteCount` bytes, and `done + count` is at most that.
                    (memory.blocks.baseAddress! + ringOffset(ofBlock: block)
                        + Int(truncatingIfNeeded: offset))
                        .copyMemory(
                            from: payload + Int(truncatingIfNeeded: done),
                            byteCount: Int(truncatingIfNeeded: count)
                        )
                    memory.slots[slot].missingByteCount &-= count
                    if memory.slots[slot].missingByteCount == 0 {
                        memory.slots[slot].status = .complete
                        completeCount &+= 1
                    }
                } else {
                    memory.slots[slot].missingByteCount &+= count
                }
            }
            done &+= count
        }
    }

    // MARK: - Receipts

    /// How many chunks from the ring's first can be followed.
    private var followedCount: UInt32 {
        UInt32(truncatingIfNeeded: min(memory.receiptCount, UInt(Credit.chunkCountMax)))
    }

    private func receiptWord(_ index: UInt32) -> Int {
        Int(truncatingIfNeeded: index / UInt32(UInt.bitWidth)) & (memory.receipts.count &- 1)
    }

    private func hasReceipt(_ index: UInt32) -> Bool {
        memory.receipts[receiptWord(index)] & (1 &<< UInt(index)) != 0
    }

    @inline(never)
    private func setReceipts(from first: UInt32, to end: UInt32, _ areReceived: Bool) {
        var index = first
        while index < end {
            let mask: UInt = 1 &<< UInt(index)
            if areReceived {
                memory.receipts[receiptWord(index)] |= mask
            } else {
                memory.receipts[receiptWord(index)] &= ~mask
            }
            index &+= 1
        }
    }

    /// One past the last chunk of those from `index` on that arrived or lie in held blocks whole;
    /// `index` or less if this one has not.
    ///
    /// - Parameter index: from the cumulative acknowledgement on, below the chunk count.
    @inline(never)
    private func arrivedEnd(from index: UInt32) -> UInt32 {
        if hasReceipt(index) { return index &+ 1 }
        return firstChunk(ofBlock: held.firstMissing(from: block(ofChunk: index)))
    }

    private mutating func advanceCumulative() {
        while cumulative < chunkCount {
            let end = arrivedEnd(from: cumulative)
            guard end > cumulative else { break }
            // Their places in the ring are free for the chunks one round later.
            setReceipts(from: cumulative, to: min(end, ringEdge), false)
            cumulative = end
        }
        highestEnd = max(highestEnd, cumulative)
    }
}
