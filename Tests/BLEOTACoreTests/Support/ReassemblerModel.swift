import BLEOTACore

@testable import BLEOTACore

/// A reassembler in memory of its own, and beside it the same thing said with plain arrays and
/// sets. Every operation is done to both, and the first difference is told.
final class ReassemblerModel {
    private enum Status { case filling, handedOver, stored }

    let object: [UInt8]
    let blockByteCount: Int
    let chunkSize: ChunkSize
    let slotCount: Int
    let receivedBitCount: Int
    let packetizer: Packetizer
    private(set) var problem: String?

    private var real: Reassembler
    private let blocks: UnsafeMutableRawBufferPointer
    private let receivedBits: UnsafeMutableBufferPointer<UInt>
    private let heldWords: UnsafeMutableBufferPointer<UInt>

    private var arrived: Set<UInt32> = []
    private var bytes: [UInt8]
    private var status: [Status]

    /// `nil` where the reassembler refuses the memory.
    init?(
        object: [UInt8],
        blockByteCount: Int,
        chunkSize: ChunkSize,
        slotCount: Int,
        receivedWordCount: Int,
        held: Set<Int> = []
    ) {
        self.object = object
        self.blockByteCount = blockByteCount
        self.chunkSize = chunkSize
        self.slotCount = slotCount
        receivedBitCount = receivedWordCount * 64
        packetizer = Packetizer(objectByteCount: UInt32(object.count), chunkSize: chunkSize)
        let blockCount = ObjectPlan.blockCount(UInt32(object.count), blockByteCount)
        blocks = .allocate(byteCount: slotCount * blockByteCount, alignment: 8)
        receivedBits = .allocate(capacity: receivedWordCount)
        receivedBits.initialize(repeating: .max)
        heldWords = .allocate(capacity: BlockMap.wordCount(forBlockCount: blockCount))
        heldWords.initialize(repeating: 0)
        let map = BlockMap(blockCount: blockCount, in: heldWords)
        for block in held { map[block] = true }
        bytes = [UInt8](repeating: 0, count: object.count)
        status = (0..<blockCount).map { held.contains($0) ? .stored : .filling }
        guard
            let real = Reassembler(
                plan: ObjectPlan(
                    object: .image,
                    byteCount: UInt32(object.count),
                    blockByteCount: blockByteCount,
                    held: map
                ),
                chunkSize: chunkSize,
                memory: ReceiverMemory(blocks: blocks, receivedBits: receivedBits)
            )
        else {
            for pointer in [blocks] { pointer.deallocate() }
            receivedBits.deallocate()
            heldWords.deallocate()
            return nil
        }
        self.real = real
        compare("the beginning")
    }

    deinit {
        blocks.deallocate()
        receivedBits.deallocate()
        heldWords.deallocate()
    }

    // MARK: - What the model says

    var isStored: Bool { status.allSatisfy { $0 == .stored } }

    /// The first chunk that has not arrived. Looked for from where it was last found, which only a
    /// rejection takes back.
    var cumulative: UInt32 {
        while lowest < packetizer.chunkCount, hasArrived(lowest) { lowest += 1 }
        return lowest
    }

    private var lowest: UInt32 = 0

    private var base: Int { status.firstIndex { $0 != .stored } ?? status.count }

    /// How many bytes of the object have arrived before the first missing chunk.
    private var arrivedByteCount: Int {
        min(Int(cumulative) * chunkSize.byteCount, object.count)
    }

    var edge: UInt32 {
        let followed = (receivedBitCount - 1) * chunkSize.byteCount / blockByteCount
        let ringEnd = (base + min(slotCount, followed)) * blockByteCount
        let byRing =
            ringEnd >= object.count ? packetizer.chunkCount : UInt32(ringEnd / chunkSize.byteCount)
        return max(cumulative, byRing)
    }

    private func blocks(of index: UInt32) -> ClosedRange<Int> {
        let range = packetizer.byteRange(ofChunk: index)
        return range.lowerBound / blockByteCount...(range.upperBound - 1) / blockByteCount
    }

    func hasArrived(_ index: UInt32) -> Bool {
        arrived.contains(index) || blocks(of: index).allSatisfy { status[$0] == .stored }
    }

    var handedOver: [Int] { status.indices.filter { status[$0] == .handedOver } }

    func isValid(_ block: Int) -> Bool { byteRange(block).allSatisfy { bytes[$0] == object[$0] } }

    private func byteRange(_ block: Int) -> Range<Int> {
        block * blockByteCount..<min((block + 1) * blockByteCount, object.count)
    }

    // MARK: - Operations

    func place(_ index: UInt32, payload: [UInt8]) {
        var expected = Reassembler.Placement.placed
        if index >= edge {
            expected = .beyondEdge
        } else if payload.count != packetizer.byteRange(ofChunk: index).count {
            expected = .wrongLength
        } else if hasArrived(index) {
            expected = .repeated
        } else {
            arrived.insert(index)
            let range = packetizer.byteRange(ofChunk: index)
            for offset in range where status[offset / blockByteCount] == .filling {
                bytes[offset] = payload[offset - range.lowerBound]
            }
        }
        let placement = real.place(payload.span.bytes, at: index)
        check(placement == expected, "place \(index): \(placement), not \(expected)")
        compare("place \(index)")
    }

    /// Hands the next whole block over and compares its bytes.
    @discardableResult
    func handOver() -> Int? {
        let expected = status.firstIndex(of: .filling)
            .flatMap { byteRange($0).upperBound <= arrivedByteCount ? $0 : nil }
        check(real.hasCompleteBlock == (expected != nil), "hasCompleteBlock")
        let block = real.nextCompleteBlock()
        check(block == expected, "hand over \(String(describing: block))")
        guard let block, block == expected else { return nil }
        status[block] = .handedOver
        compare("hand over \(block)")
        return block
    }

    /// Nothing is done where the block is not with the store.
    func store(_ block: Int) {
        let isHandedOver = status[block] == .handedOver
        if isHandedOver { status[block] = .stored }
        let isTaken = real.stored(block)
        check(isTaken == isHandedOver, "store \(block): \(isTaken)")
        compare("store \(block)")
    }

    /// Nothing is done where the block is not with the store.
    func reject(_ block: Int) {
        let isHandedOver = status[block] == .handedOver
        if isHandedOver {
            let first = UInt32(byteRange(block).lowerBound / packetizer.chunkSize.byteCount)
            arrived = arrived.filter { $0 < first }
            for later in status.indices[block...] where status[later] == .handedOver {
                status[later] = .filling
            }
            lowest = first
        }
        let isTaken = real.rejected(block)
        check(isTaken == isHandedOver, "reject \(block): \(isTaken)")
        compare("reject \(block)", isRejection: true)
    }

    // MARK: - Comparison

    /// The bitmap of an ACK in a frame of its length, of which the bytes past it are not touched.
    private func bitmap(showing shownCount: UInt32) -> ReceivedBitmap {
        var bytes = [UInt8](repeating: 0xA5, count: 80)
        var elements = bytes.mutableSpan
        var output = elements.mutableBytes
        let byteCount = real.writeBitmap(showing: shownCount, at: 13, into: &output)
        var bitmap = ReceivedBitmap()
        for bit in 0..<8 * byteCount { bitmap[bit] = bytes[13 + bit / 8] >> (bit % 8) & 1 != 0 }
        check(bitmap.byteCount == byteCount, "the bitmap has zeros at its end")
        let end = 13 + Int(shownCount) / 8
        check(Set(bytes[..<13] + bytes[end...]) == [0xA5], "bytes beside the bitmap")
        return bitmap
    }

    private var lastEdge: UInt32 = 0
    private var lastCumulative: UInt32 = 0

    private func compare(_ what: String, isRejection: Bool = false) {
        let (cumulative, edge) = (cumulative, edge)
        check(
            real.cumulative == cumulative,
            "\(what): cumulative \(real.cumulative), not \(cumulative)"
        )
        check(real.edge == edge, "\(what): edge \(real.edge), not \(edge)")
        for shownCount in [0, 8, 40, 512] as [UInt32] {
            compareToldEdge(cumulative, edge, shownCount, what)
            compareBitmap(cumulative, edge, shownCount, what)
        }
        check(real.isStored == isStored, "\(what): isStored \(real.isStored)")
        check(real.isComplete == (cumulative == packetizer.chunkCount), "\(what): isComplete")
        for block in status.indices {
            let isHandedOver = real.isHandedOver(block)
            check(isHandedOver == (status[block] == .handedOver), "\(what): \(block)")
            // What is with the store does not change.
            if isHandedOver { compareBytes(block, what) }
        }
        if !isRejection {
            check(cumulative >= lastCumulative && edge >= lastEdge, "\(what): went back")
        }
        (lastCumulative, lastEdge) = (cumulative, edge)
    }

    private func compareBytes(_ block: Int, _ what: String) {
        let handed = real.withBytes(ofBlock: block) { span in
            span.byteOffsets.map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        check(handed == Array(bytes[byteRange(block)]), "\(what): the bytes of block \(block)")
    }

    private func compareBitmap(
        _ cumulative: UInt32,
        _ edge: UInt32,
        _ shownCount: UInt32,
        _ what: String
    ) {
        let bitmap = bitmap(showing: shownCount)
        check(bitmap.endIndex <= Int(edge - cumulative), "\(what): a bit past the edge")
        for bit in 0..<min(ReceivedBitmap.bitCount, Int(edge - cumulative) + 1) {
            let index = cumulative + 1 + UInt32(bit)
            let isShown = bit < shownCount && index < edge && hasArrived(index)
            check(bitmap[bit] == isShown, "\(what): the bitmap says \(bitmap[bit]) of \(index)")
        }
    }

    /// Chunks that are there and that an ACK does not reach are behind the edge that it tells.
    private func compareToldEdge(
        _ cumulative: UInt32,
        _ edge: UInt32,
        _ shownCount: UInt32,
        _ what: String
    ) {
        let reported = real.edge(showing: shownCount)
        let firstHidden = max(cumulative + 1 + shownCount, real.highestEnd)
        guard firstHidden < edge else {
            return check(reported == edge, "\(what): told \(reported), and all is shown")
        }
        check((firstHidden...edge).contains(reported), "\(what): told \(reported)")
        if (firstHidden..<reported).contains(where: hasArrived) {
            check(false, "\(what): told \(reported), and some is hidden before it")
        }
        if reported < edge, !blocks(of: reported).contains(where: { status[$0] == .stored }) {
            check(false, "\(what): told \(reported), and nothing is hidden there")
        }
    }

    private func check(_ isTrue: Bool, _ what: @autoclosure () -> String) {
        if !isTrue, problem == nil { problem = what() }
    }
}
