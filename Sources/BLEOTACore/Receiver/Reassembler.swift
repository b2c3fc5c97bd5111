/// Assembles chunks, which may arrive in any order and more than once, into blocks, and hands
/// the blocks over in ascending order.
///
/// Its memory is a ring of bytes that begins with the first block not yet stored. Byte n of the
/// object is at offset n modulo the ring's length, which is a whole number of blocks. Each chunk is
/// copied directly to its place. Chunks without a place are not accepted, and ``edge`` shows in
/// advance which chunks these are. Nothing is ever written outside the ring or past the end of the
/// object.
public struct Reassembler: ~Copyable {
    /// The result of placing a chunk.
    public enum Placement: Hashable, Sendable {
        /// The chunk was missing and has been placed.
        case placed
        /// The chunk had arrived before.
        case repeated
        /// The chunk is at or past the edge.
        case beyondEdge
        /// The payload does not have the length of the chunk.
        case wrongLength
    }

    // Functions with several callers are never inlined, to save code on a microcontroller.

    private let pin = AddressStable()
    private let memory: ReceiverMemory
    private var held = BlockMap()
    /// The length of the object in bytes.
    private var byteCount: UInt32 = 0
    private var blockByteCount: UInt32 = 0
    /// The length of every chunk except the last.
    private(set) var chunkByteCount: UInt32 = 0
    /// The number of chunks in the object.
    public private(set) var chunkCount: UInt32 = 0
    /// The number of blocks that fit in the memory and whose chunks the bitmap of arrived chunks
    /// can track, and the total length of these blocks.
    private var ringBlockCount: UInt32 = 0
    private var ringByteCount: UInt32 = 0
    /// The first block that is not stored. The ring begins with it.
    private var baseBlock: UInt32 = 0
    /// The first block that is neither stored nor handed over to the store.
    private var nextBlock: UInt32 = 0
    /// The first chunk that ends past the ring.
    private var ringEdge: UInt32 = 0
    /// The first missing chunk, or the chunk count if none is missing.
    public private(set) var cumulative: UInt32 = 0
    /// One past the highest chunk that has arrived.
    public private(set) var highestEnd: UInt32 = 0

    /// Creates a reassembler without an object.
    init(memory: ReceiverMemory) {
        self.memory = memory
    }

    /// Creates a reassembler for a plan's object.
    ///
    /// - Returns: `nil` if the memory is too small. It must hold the whole object or two blocks
    ///   of it, or more if blocks are shorter than a chunk.
    public init?(plan: ObjectPlan, chunkSize: ChunkSize, memory: ReceiverMemory) {
        self.init(memory: memory)
        guard begin(plan, chunkSize: chunkSize) else { return nil }
    }

    /// Discards the previous object and prepares for the chunks of a plan's object. Returns false
    /// if the memory is too small. In that case, no other method may be called until a later call
    /// of this method succeeds.
    mutating func begin(_ plan: ObjectPlan, chunkSize: ChunkSize) -> Bool {
        held = plan.held
        byteCount = plan.byteCount
        blockByteCount = UInt32(truncatingIfNeeded: plan.blockByteCount)
        chunkByteCount = UInt32(chunkSize.wordCount) &* 4
        chunkCount = (byteCount &- 1) / chunkByteCount &+ 1
        // One bit stays free, because the ring's first chunk may begin before the ring.
        let room = min(
            memory.byteCount,
            memory.receivedMask &* chunkByteCount
        )
        ringBlockCount = room / blockByteCount
        ringByteCount = ringBlockCount &* blockByteCount
        // The last chunk of the ring's first block must always end inside the ring; otherwise
        // the ring could never advance. That chunk begins at a multiple of 4, and so at least 4
        // bytes before the end of the block. Both lengths are short, so their sum does not
        // overflow.
        guard ringByteCount >= min(byteCount, blockByteCount &+ chunkByteCount &- 4) else {
            return false
        }
        baseBlock = 0
        moveRing()
        goBack(to: baseBlock)
        return true
    }

    /// The maximum length of an object's blocks, in bytes.
    var blockByteCountMax: UInt64 { UInt64(memory.byteCount / 2) }

    /// Whether every chunk has arrived.
    public var isComplete: Bool { cumulative == chunkCount }

    /// The length of the longest prefix of the object whose blocks are all stored.
    var storedByteCount: UInt32 { isStored ? byteCount : baseBlock &* blockByteCount }

    /// Whether every block is stored.
    public var isStored: Bool { baseBlock == held.count }

    /// The number of chunks that fit in an empty ring.
    var chunkCountOfRing: UInt32 { ringByteCount / chunkByteCount }

    //= CREDIT-3: A receiver MUST NOT give credit for more chunks than it can place without losing
    //= any.
    /// The first chunk that can't be placed because it ends past the ring.
    public var edge: UInt32 {
        // Blocks held from earlier sessions can move the first missing chunk past the ring.
        max(cumulative, ringEdge)
    }

    /// Returns the first chunk that the sender should not send yet. It is the edge, or a chunk
    /// before it that is held from an earlier session but lies beyond the range that an ACK can
    /// show.
    ///
    /// - Parameter shownCount: the number of chunks past the first missing one that an ACK
    ///   shows.
    func edge(showing shownCount: UInt32) -> UInt32 {
        let hidden = max(cumulative &+ 1 &+ shownCount, highestEnd)
        guard hidden < edge else { return edge }
        return min(edge, max(hidden, firstChunk(from: hidden, isHeld: true)))
    }

    /// Writes the bitmap of an ACK at `offset`, with one bit for each chunk past the first
    /// missing one. Returns its length in bytes without trailing zeros.
    ///
    /// - Parameter shownCount: the number of chunks that an ACK shows. `output` must have room
    ///   for them.
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

    //= DATA-3: A receiver MUST drop a data frame unless its payload has exactly the length of the
    //= chunk with the frame's index.
    //= DATA-4: A receiver MUST drop a data frame whose index is at or past the edge.
    //= OBJ-7: A receiver MUST NOT write outside the object, whatever a frame says.
    /// Places a chunk in the ring if it is missing and fits.
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

    /// Whether ``nextCompleteBlock()`` would return a block.
    public var hasCompleteBlock: Bool { nextBlock < block(ofChunk: cumulative) }

    /// Hands over the next block if everything before its end has arrived. Otherwise returns
    /// `nil`.
    public mutating func nextCompleteBlock() -> Int? {
        guard hasCompleteBlock else { return nil }
        let block = nextBlock
        nextBlock = held.firstMissing(from: block &+ 1)
        return Int(truncatingIfNeeded: block)
    }

    /// Calls `body` with the bytes of a block that was handed over.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(isHandedOver(block))
        let block = UInt32(truncatingIfNeeded: block)
        // SAFETY: the ring's length is a whole number of blocks, so every block is contiguous
        // in it.
        let bytes = UnsafeRawBufferPointer(
            start: start(ofBlock: block),
            count: Int(truncatingIfNeeded: byteCount(ofBlock: block))
        )
        return body(bytes.bytes)
    }

    /// Returns the address of a block that was handed over.
    func start(ofBlock block: UInt32) -> UnsafeMutableRawPointer {
        memory.ring + ringOffset(block &* blockByteCount)
    }

    /// Returns the length of a block in bytes.
    func byteCount(ofBlock block: UInt32) -> UInt32 {
        min(blockByteCount, byteCount &- block &* blockByteCount)
    }

    /// Marks a handed-over block as stored, which frees its place in the ring.
    ///
    /// - Returns: false if the block was not handed over. In that case, nothing changes.
    @discardableResult
    public mutating func stored(_ block: Int) -> Bool {
        guard isHandedOver(block) else { return false }
        held[UInt32(truncatingIfNeeded: block)] = true
        moveRing()
        return true
    }

    /// Marks a handed-over block as wrong. The block and everything after it that is not stored
    /// are missing again, including other blocks that were handed over.
    ///
    /// Rejections are rare, because one requires a damaged frame whose checksum matches by chance,
    /// and it costs at most one ring of data. In return, nothing has to track which chunks of which
    /// block have arrived.
    ///
    /// - Returns: false if the block was not handed over. In that case, nothing changes.
    @discardableResult
    public mutating func rejected(_ block: Int) -> Bool {
        guard isHandedOver(block) else { return false }
        goBack(to: UInt32(truncatingIfNeeded: block))
        return true
    }

    /// Whether the block was handed over to the store and is not stored yet.
    @inline(never)
    public func isHandedOver(_ block: Int) -> Bool {
        // Every block before `nextBlock` is stored or handed over.
        guard UInt(bitPattern: block) < UInt(nextBlock) else { return false }
        let number = UInt32(truncatingIfNeeded: block)
        return held.firstMissing(from: number) == number
    }

    // MARK: - Blocks and chunks

    // An offset in the object or in the ring fits in 32 bits. So do a valid block number times the
    // block length, and a valid chunk index times the chunk length. The end of a block or chunk may
    // not fit, so it is never computed.

    /// Returns the block in which a chunk begins, or the block count for an index past the last
    /// chunk. All earlier blocks end before the chunk.
    @inline(never)
    private func block(ofChunk index: UInt32) -> UInt32 {
        index < chunkCount ? index &* chunkByteCount / blockByteCount : held.count
    }

    /// Returns the chunk that contains the first byte of a block, or the chunk count past the
    /// last block.
    @inline(never)
    private func firstChunk(ofBlock block: UInt32) -> UInt32 {
        block < held.count ? block &* blockByteCount / chunkByteCount : chunkCount
    }

    /// Searches for a block that is held, or that is missing if `isHeld` is false, beginning
    /// with the block in which chunk `index` begins. Returns the first chunk with a byte in
    /// that block, or the chunk count if there is none.
    @inline(never)
    private func firstChunk(from index: UInt32, isHeld: Bool) -> UInt32 {
        firstChunk(ofBlock: held.first(from: block(ofChunk: index), isHeld: isHeld))
    }

    // MARK: - The ring

    /// Returns the position in the ring of a byte of the object.
    private func ringOffset(_ offset: UInt32) -> Int {
        Int(truncatingIfNeeded: offset % ringByteCount)
    }

    /// Moves the beginning of the ring to the first block that is not stored.
    @inline(never)
    private mutating func moveRing() {
        baseBlock = held.firstMissing(from: baseBlock)
        // This can't overflow: the object has fewer than 2³¹ blocks, and the ring fewer than
        // 2²³.
        ringEdge = firstChunk(ofBlock: baseBlock &+ ringBlockCount)
    }

    /// Discards the arrived chunks of a block that is not stored and of all blocks after it.
    private mutating func goBack(to block: UInt32) {
        nextBlock = block
        cumulative = firstChunk(ofBlock: block)
        highestEnd = cumulative
        memory.receivedWords.update(repeating: 0, count: memory.receivedWordCount)
    }

    /// Copies a missing chunk, or its missing part, to its place in the ring.
    ///
    /// Blocks that were handed over do not change. Chunks before the first missing one count as
    /// repeated and are not copied. The first missing chunk may begin in a block before
    /// `nextBlock`, and that part of it is skipped.
    private func fill(from start: UInt32, with payload: RawSpan) {
        let first = max(start, nextBlock &* blockByteCount)
        let missing = payload.extracting(droppingFirst: Int(truncatingIfNeeded: first &- start))
        let offset = ringOffset(first)
        missing.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            let count = min(bytes.count, Int(truncatingIfNeeded: ringByteCount) &- offset)
            // SAFETY: the first copy does not go past the end of the ring. The second is
            // shorter than a chunk, which is shorter than the ring.
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

    /// Whether a chunk has arrived or is entirely within held blocks.
    ///
    /// - Parameter index: a chunk at or past the cumulative acknowledgement and below the edge.
    @inline(never)
    private func hasArrived(_ index: UInt32) -> Bool {
        isReceived(index) || firstChunk(from: index, isHeld: false) > index
    }

    private mutating func advanceCumulative() {
        while true {
            var end = cumulative &+ 1
            if isReceived(cumulative) {
                // The bit is now free for a later chunk that shares it.
                toggleReceived(cumulative)
            } else {
                end = firstChunk(from: cumulative, isHeld: false)
                guard end > cumulative else { return }
            }
            cumulative = end
        }
    }
}
