/// Puts chunks, which may come in any order and more than once, together to blocks, and hands the
/// blocks over in ascending order.
///
/// Its memory is a ring of bytes that begins with the first block not yet stored: byte n of the
/// object lies at n modulo the ring's length, which is that of some whole blocks. A chunk goes
/// straight to its place; one that has no place is not taken, and ``edge`` says beforehand which
/// those are. Nothing is ever written outside the ring, and never past the object.
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

    private let pin = AddressStable()
    private let memory: ReceiverMemory
    private var held = BlockMap()
    /// The length of the object.
    private var byteCount: UInt32 = 0
    private var blockByteCount: UInt32 = 0
    /// The length of all chunks but the last.
    private(set) var chunkByteCount: UInt32 = 0
    /// How many chunks the object has.
    public private(set) var chunkCount: UInt32 = 0
    /// How many blocks the memory holds whose chunks the received bits can follow, and their
    /// length.
    private var ringBlockCount: UInt32 = 0
    private var ringByteCount: UInt32 = 0
    /// The first block that is not stored; the ring begins there.
    private var baseBlock: UInt32 = 0
    /// The first block that is neither stored nor with the store.
    private var nextBlock: UInt32 = 0
    /// The first chunk that ends past the ring.
    private var ringEdge: UInt32 = 0
    /// The first chunk that is missing; the chunk count if none is.
    public private(set) var cumulative: UInt32 = 0
    /// One past the highest chunk that arrived.
    public private(set) var highestEnd: UInt32 = 0

    /// One that waits for an object.
    init(memory: ReceiverMemory) {
        self.memory = memory
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
        blockByteCount = UInt32(truncatingIfNeeded: plan.blockByteCount)
        chunkByteCount = UInt32(chunkSize.wordCount) &* 4
        chunkCount = (byteCount &- 1) / chunkByteCount &+ 1
        // One bit is left over, since the ring's first chunk may begin before the ring.
        let room = min(
            memory.byteCount,
            memory.receivedMask &* chunkByteCount
        )
        ringBlockCount = room / blockByteCount
        ringByteCount = ringBlockCount &* blockByteCount
        // The last chunk of the ring's first block always has to end inside the ring, else it
        // could stand still. It begins at a multiple of 4, so 4 bytes before the block's end at
        // the latest. Both lengths are short, so their sum does not wrap.
        guard ringByteCount >= min(byteCount, blockByteCount &+ chunkByteCount &- 4) else {
            return false
        }
        baseBlock = 0
        moveRing()
        goBack(to: baseBlock)
        return true
    }

    /// How long the blocks of an object may be.
    var blockByteCountMax: UInt64 { UInt64(memory.byteCount / 2) }

    /// Whether every chunk has arrived.
    public var isComplete: Bool { cumulative == chunkCount }

    /// The length of the longest beginning of the object whose blocks are stored.
    var storedByteCount: UInt32 { isStored ? byteCount : baseBlock &* blockByteCount }

    /// Whether every block is stored.
    public var isStored: Bool { baseBlock == held.count }

    /// How many chunks the ring holds when all of it is free.
    var chunkCountOfRing: UInt32 { ringByteCount / chunkByteCount }

    //= CREDIT-3: A receiver MUST NOT give credit for more than it can place without losing
    //= anything.
    /// The first chunk that can't be placed, because it ends past the ring.
    public var edge: UInt32 {
        // Blocks held from before can have taken the first missing chunk past the ring.
        max(cumulative, ringEdge)
    }

    /// The first chunk that the sender should not send yet: the edge, or sooner where a chunk lies
    /// before it that is held from before and that an ACK does not reach to show.
    ///
    /// - Parameter shownCount: how many chunks past the first missing one an ACK shows.
    func edge(showing shownCount: UInt32) -> UInt32 {
        let hidden = max(cumulative &+ 1 &+ shownCount, highestEnd)
        guard hidden < edge else { return edge }
        return min(edge, max(hidden, firstChunk(from: hidden, isHeld: true)))
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
        var byteCount = 0
        var bit: UInt32 = 0
        while bit < shownCount, cumulative &+ 1 &+ bit < edge {
            let index = Int(truncatingIfNeeded: bit / 8)
            output.withUnsafeMutableBytes { output in
                if bit % 8 == 0 { output[offset &+ index] = 0 }
                if hasArrived(cumulative &+ 1 &+ bit) {
                    output[offset &+ index] |= 1 &<< UInt8(truncatingIfNeeded: bit)
                    byteCount = index &+ 1
                }
            }
            bit &+= 1
        }
        return byteCount
    }

    //= DATA-3: A receiver MUST drop a data frame whose payload is not exactly the chunk size, or
    //= for the last chunk exactly the rest of the object; past the last chunk no payload fits.
    //= DATA-4: A receiver MUST drop a data frame whose index is at or past its edge.
    //= OBJ-7: A receiver MUST NOT write outside the object, whatever a frame says.
    /// Takes a chunk.
    @inline(never)
    public mutating func place(_ payload: RawSpan, at index: UInt32) -> Placement {
        guard index < edge else { return .beyondEdge }
        let start = index &* chunkByteCount
        guard payload.byteCount == Int(truncatingIfNeeded: min(chunkByteCount, byteCount &- start))
        else { return .wrongLength }
        guard index >= cumulative, !hasArrived(index) else { return .repeated }
        fill(from: start, with: payload)
        toggleReceived(index)
        advanceCumulative()
        highestEnd = max(highestEnd, max(cumulative, index &+ 1))
        return .placed
    }

    /// Whether ``nextCompleteBlock()`` has one.
    public var hasCompleteBlock: Bool { nextBlock < block(ofChunk: cumulative) }

    /// The next block, if everything before its end has arrived; hands it over.
    public mutating func nextCompleteBlock() -> Int? {
        guard hasCompleteBlock else { return nil }
        let block = nextBlock
        nextBlock = held.firstMissing(from: block &+ 1)
        return Int(truncatingIfNeeded: block)
    }

    /// The bytes of a block that was handed over.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(isHandedOver(block))
        let block = UInt32(truncatingIfNeeded: block)
        // SAFETY: the ring's length is that of some blocks, so a block lies in it in one piece.
        let bytes = UnsafeRawBufferPointer(
            start: start(ofBlock: block),
            count: Int(truncatingIfNeeded: byteCount(ofBlock: block))
        )
        return body(bytes.bytes)
    }

    /// Where the bytes of a block lie that was handed over.
    func start(ofBlock block: UInt32) -> UnsafeMutableRawPointer {
        memory.ring + ringOffset(block &* blockByteCount)
    }

    /// The length of a block.
    func byteCount(ofBlock block: UInt32) -> UInt32 {
        min(blockByteCount, byteCount &- block &* blockByteCount)
    }

    /// A block that was handed over is stored: its bytes make room for others.
    ///
    /// - Returns: false, and nothing is done, if it was not handed over.
    @discardableResult
    public mutating func stored(_ block: Int) -> Bool {
        guard isHandedOver(block) else { return false }
        held[UInt32(truncatingIfNeeded: block)] = true
        moveRing()
        return true
    }

    /// A block that was handed over is wrong: it is missing again, and all after it that is not
    /// stored. What of it is with the store is taken back.
    ///
    /// That is rare, since a checksum was right by chance, and costs a ring at the most; in
    /// exchange nothing has to know which chunks of which block have arrived.
    ///
    /// - Returns: false, and nothing is done, if it was not handed over.
    @discardableResult
    public mutating func rejected(_ block: Int) -> Bool {
        guard isHandedOver(block) else { return false }
        goBack(to: UInt32(truncatingIfNeeded: block))
        return true
    }

    /// Whether this block is with the store.
    @inline(never)
    public func isHandedOver(_ block: Int) -> Bool {
        // Every block before the next one is stored or with the store.
        guard UInt(bitPattern: block) < UInt(nextBlock) else { return false }
        let number = UInt32(truncatingIfNeeded: block)
        return held.firstMissing(from: number) == number
    }

    // MARK: - Blocks and chunks

    // An offset in the object, and one in the ring, has 32 bits, and so has the product of a block
    // below the block count and the length of a block, and of a chunk below the chunk count and the
    // length of a chunk. Where a block or chunk ends may not have, so that is never computed.

    /// The block in which a chunk begins; the block count past the last chunk. All blocks before it
    /// end before the chunk.
    @inline(never)
    private func block(ofChunk index: UInt32) -> UInt32 {
        index < chunkCount ? index &* chunkByteCount / blockByteCount : held.count
    }

    /// The chunk that has the first byte of a block; the chunk count past the last block.
    @inline(never)
    private func firstChunk(ofBlock block: UInt32) -> UInt32 {
        block < held.count ? block &* blockByteCount / chunkByteCount : chunkCount
    }

    /// The first chunk with a byte of the first held block, or the first missing one, from the
    /// block on in which `index` begins; the chunk count if there is none.
    @inline(never)
    private func firstChunk(from index: UInt32, isHeld: Bool) -> UInt32 {
        firstChunk(ofBlock: held.first(from: block(ofChunk: index), isHeld: isHeld))
    }

    // MARK: - The ring

    /// Where a byte of the object lies in the ring.
    private func ringOffset(_ offset: UInt32) -> Int {
        Int(truncatingIfNeeded: offset % ringByteCount)
    }

    /// Begins the ring at the first block that is not stored.
    @inline(never)
    private mutating func moveRing() {
        baseBlock = held.firstMissing(from: baseBlock)
        // Cannot wrap: the blocks of the object are less than 2³¹, those of the ring than 2²³.
        ringEdge = firstChunk(ofBlock: baseBlock &+ ringBlockCount)
    }

    /// Forgets what has arrived of a block that is not stored, and of all after it.
    private mutating func goBack(to block: UInt32) {
        nextBlock = block
        cumulative = firstChunk(ofBlock: block)
        highestEnd = cumulative
        memory.receivedWords.update(repeating: 0, count: memory.receivedWordCount)
    }

    /// Copies a missing chunk, or the part of it that is missing, to its place in the ring.
    ///
    /// What is with the store does not change: all that begins before the first missing chunk was
    /// passed over already, and of that one the part is that lies in a block before the next one.
    private func fill(from start: UInt32, with payload: RawSpan) {
        let first = max(start, nextBlock &* blockByteCount)
        let missing = payload.extracting(droppingFirst: Int(truncatingIfNeeded: first &- start))
        let offset = ringOffset(first)
        missing.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            let count = min(bytes.count, Int(truncatingIfNeeded: ringByteCount) &- offset)
            // SAFETY: the first part ends with the ring at the latest, and the second is shorter
            // than a chunk, which is shorter than the ring.
            (memory.ring + offset).copyMemory(from: source, byteCount: count)
            memory.ring.copyMemory(from: source + count, byteCount: bytes.count &- count)
        }
    }

    // MARK: - Received bits

    private func receivedWord(_ index: UInt32) -> Int {
        Int(truncatingIfNeeded: (index & memory.receivedMask) / UInt32(UInt.bitWidth))
    }

    private func isReceived(_ index: UInt32) -> Bool {
        memory.receivedWords[receivedWord(index)] & (1 &<< UInt(index)) != 0
    }

    @inline(never)
    private func toggleReceived(_ index: UInt32) {
        memory.receivedWords[receivedWord(index)] ^= 1 &<< UInt(index)
    }

    /// Whether a chunk has arrived or lies in held blocks whole.
    ///
    /// - Parameter index: from the cumulative acknowledgement on, below the edge.
    @inline(never)
    private func hasArrived(_ index: UInt32) -> Bool {
        isReceived(index) || firstChunk(from: index, isHeld: false) > index
    }

    private mutating func advanceCumulative() {
        while true {
            var end = cumulative &+ 1
            if isReceived(cumulative) {
                // Its place is free for the chunk one round later.
                toggleReceived(cumulative)
            } else {
                end = firstChunk(from: cumulative, isHeld: false)
                guard end > cumulative else { return }
            }
            cumulative = end
        }
    }
}
