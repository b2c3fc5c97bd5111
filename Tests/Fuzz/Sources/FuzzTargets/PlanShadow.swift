import BLEOTACore
import BLEOTAWire

/// An object that a receiver was told to receive, and what of it is there, kept apart from the
/// receiver's own code.
final class PlanShadow {
    /// Bounds the memory of a run: the blocks of an object.
    private static let blockCountMax = 8_192

    let plan: ObjectPlan
    let chunkSize: ChunkSize
    let words: GuardedMemory<UInt>
    private(set) var isHeld: [Bool]
    private var placed: Set<UInt32> = []

    var object: ObjectID { plan.object }
    var byteCount: Int { Int(plan.byteCount) }
    var blockCount: Int { isHeld.count }
    var chunkCount: UInt32 { Reference.chunkCount(plan.byteCount, chunkSize) }

    /// Draws a plan: how long the blocks are, how long the image is, and what of it is held.
    init(
        _ object: ObjectID,
        manifestByteCount: UInt32,
        chunkSize: ChunkSize,
        _ input: inout FuzzInput
    ) {
        var blockByteCount = ObjectPlan.manifestBlockByteCount
        var byteCount = manifestByteCount
        if object == .image {
            let flags = input.byte()
            // Where a chunk begins and a block ends are multiples of 4.
            blockByteCount = 16 << (Int(flags & 15) % 13)
            if flags & 16 != 0 { blockByteCount += 4 * input.choice(16) }
            byteCount = UInt32(
                min(max(input.magnitude(bitCountMax: 25), 1), blockByteCount * Self.blockCountMax)
            )
        }
        let count = ObjectPlan.blockCount(byteCount, blockByteCount)
        words = GuardedMemory(count: BlockMap.wordCount(forBlockCount: count), filledWith: 0)
        let map = BlockMap(blockCount: count, in: words.elements)
        isHeld = Self.held(count, &input)
        for block in 0..<count where isHeld[block] { map[block] = true }
        plan = ObjectPlan(
            object: object,
            byteCount: byteCount,
            blockByteCount: blockByteCount,
            held: map
        )
        self.chunkSize = chunkSize
    }

    private static func held(_ count: Int, _ input: inout FuzzInput) -> [Bool] {
        switch input.choice(6) {
        case 0:
            let end = input.magnitude(bitCountMax: 13)
            return (0..<count).map { $0 < end }
        case 1:
            let hole = Int(input.uint16()) % count
            return (0..<count).map { $0 != hole }
        case 2:
            let pattern = input.uint32()
            return (0..<count).map { pattern >> UInt32($0 & 31) & 1 != 0 }
        case 3:
            let left = input.choice(16)
            return (0..<count).map { $0 < count - left }
        default:
            return Array(repeating: false, count: count)
        }
    }

    // MARK: - Bytes

    func byteRange(ofChunk index: UInt32) -> Range<Int> {
        let start = Int(index) * chunkSize.byteCount
        return start..<max(min(start + chunkSize.byteCount, byteCount), start)
    }

    func byteRange(ofBlock block: Int) -> Range<Int> {
        let start = block * plan.blockByteCount
        return start..<min(start + plan.blockByteCount, byteCount)
    }

    // MARK: - What is there

    var heldPrefixByteCount: Int {
        min((isHeld.firstIndex(of: false) ?? blockCount) * plan.blockByteCount, byteCount)
    }

    var isWhole: Bool { !isHeld.contains(false) }

    /// Whether a chunk arrived, or lies in held blocks whole.
    func has(_ index: UInt32) -> Bool {
        if placed.contains(index) { return true }
        let range = byteRange(ofChunk: index)
        return
            (range.lowerBound / plan.blockByteCount...(range.upperBound - 1)
            / plan.blockByteCount).allSatisfy { isHeld[$0] }
    }

    var firstMissing: UInt32 { (0..<chunkCount).first { !has($0) } ?? chunkCount }

    func place(_ index: UInt32) { placed.insert(index) }

    func store(_ block: Int) { isHeld[block] = true }

    /// Every chunk with a byte in this block is missing again, and all after it.
    func reject(_ block: Int) {
        let first = UInt32(byteRange(ofBlock: block).lowerBound / chunkSize.byteCount)
        placed = placed.filter { $0 < first }
    }

    /// What is wrong with a block that the receiver wants written, if anything.
    func check(_ bytes: RawSpan, ofBlock block: Int, isTainted: Bool) throws(BrokenProperty) {
        let range = byteRange(ofBlock: block)
        try require(
            bytes.byteCount == range.count,
            "block \(block) has \(bytes.byteCount) bytes"
        )
        try require(
            isTainted || Content.isFound(bytes, in: range, of: object),
            "block \(block) has wrong bytes"
        )
    }
}
