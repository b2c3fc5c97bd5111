import BLEOTATestSupport
import Testing

@testable import BLEOTACore

@Suite("Reassembler")
struct ReassemblerTests {
    private static func object(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    }

    private static func right(_ index: UInt32, _ model: ReassemblerModel) -> [UInt8] {
        Array(model.object[model.packetizer.byteRange(ofChunk: index)])
    }

    //= OBJ-7
    //= DATA-3
    //= DATA-4
    //= CREDIT-3
    @Test("Random chunks, repeats, wrong lengths, rejections and stores agree with plain sets")
    func againstTheModel() {
        for seed in TestSeed.rounds(30) {
            var random = TestSeed(seed)
            guard let model = Self.randomModel(&random) else { continue }
            for _ in 0..<400 where model.problem == nil { Self.step(model, &random) }
            Self.finish(model)
            if model.problem != nil || !model.isStored {
                let problem = model.problem ?? "it does not come to an end"
                Issue.record("\(problem), seed 0x\(String(seed, radix: 16))")
                return
            }
        }
    }

    private static func randomModel(_ random: inout TestSeed) -> ReassemblerModel? {
        let blockByteCount = 256 << random.below(5)
        let chunkSize = ChunkSize(wordCount: UInt8(3 + random.below(random.chance(50) ? 125 : 8)))!
        let byteCount = random.below(10 * blockByteCount) + 1
        let slotCount = 2 + random.below(7)
        let blockCount = ObjectPlan.blockCount(UInt32(byteCount), blockByteCount)
        let percent = [0, 0, 30, 80, 100][random.below(5)]
        let held = Set((0..<blockCount).filter { _ in random.chance(percent) })
        let wordCount = ReceiverMemory.receivedWordCount(
            slotCount: slotCount,
            blockByteCount: blockByteCount,
            chunkByteCountMin: chunkSize.byteCount
        )
        return ReassemblerModel(
            object: object(byteCount),
            blockByteCount: blockByteCount,
            chunkSize: chunkSize,
            slotCount: slotCount,
            receivedWordCount: random.chance(30) ? max(wordCount / 2, 1) : wordCount,
            held: held
        )
    }

    private static func step(_ model: ReassemblerModel, _ random: inout TestSeed) {
        switch random.below(10) {
        case 0..<6:
            let low = Int(model.cumulative) - 3
            let span = Int(model.edge) + 3 - low
            let index = max(low + random.below(random.chance(50) ? min(span, 12) : span), 0)
            var payload = [UInt8](repeating: 0xA5, count: model.chunkSize.byteCount)
            if index < Int(model.packetizer.chunkCount) { payload = right(UInt32(index), model) }
            if random.chance(3) { payload[random.below(payload.count)] ^= 0x10 }
            if random.chance(3) { payload.append(0) }
            if random.chance(3) { payload.removeLast() }
            model.place(UInt32(index), payload: payload)
        case 6, 7:
            model.handOver()
        case 8 where random.chance(10):
            // A late answer, or to nothing that was asked.
            let block = random.below((model.object.count - 1) / model.blockByteCount + 1)
            if random.chance(50) { model.store(block) } else { model.reject(block) }
        default:
            guard let block = model.handedOver.randomElement(using: &random) else { return }
            if model.isValid(block), !random.chance(20) {
                model.store(block)
            } else {
                model.reject(block)
            }
        }
    }

    /// Sends what is missing until all is stored, as an honest sender and store would.
    private static func finish(_ model: ReassemblerModel) {
        var stepsLeft = 20_000
        while model.problem == nil, !model.isStored, stepsLeft > 0 {
            stepsLeft -= 1
            if model.cumulative < model.edge {
                model.place(model.cumulative, payload: right(model.cumulative, model))
            }
            model.handOver()
            for block in model.handedOver {
                if model.isValid(block) { model.store(block) } else { model.reject(block) }
            }
        }
    }

    @Test(
        "Every sequence of six operations on four chunks and three blocks agrees with plain sets"
    )
    func smallScope() {
        var path: [Int] = []
        enumerate(&path, upTo: 6, held: [])
        enumerate(&path, upTo: 4, held: [1])
        enumerate(&path, upTo: 4, held: [2])
    }

    private func enumerate(_ path: inout [Int], upTo length: Int, held: Set<Int>) {
        if path.count == length {
            run(path, held: held)
            return
        }
        for operation in 0..<9 {
            path.append(operation)
            enumerate(&path, upTo: length, held: held)
            path.removeLast()
        }
    }

    private func run(_ path: [Int], held: Set<Int>) {
        // Three blocks of 16 bytes, the last of 8; four chunks of 12, which lie across the borders.
        let model = ReassemblerModel(
            object: Self.object(40),
            blockByteCount: 16,
            chunkSize: .smallest,
            slotCount: 2,
            receivedWordCount: 1,
            held: held
        )!
        for operation in path {
            // What changes nothing is the last: without it, the sequence is another one.
            switch operation {
            case 0..<4:
                guard !model.hasArrived(UInt32(operation)) else { return }
                model.place(UInt32(operation), payload: Self.right(UInt32(operation), model))
            case 4: guard model.handOver() != nil else { return }
            default:
                let handedOver = model.handedOver
                guard let block = operation % 2 == 0 ? handedOver.first : handedOver.last else {
                    return
                }
                if operation < 7 { model.store(block) } else { model.reject(block) }
            }
        }
        Self.finish(model)
        if model.problem != nil || !model.isStored {
            Issue.record("\(path), held \(held): \(model.problem ?? "no end")")
        }
    }

    @Test("Two slots of 256 bytes can't hold chunks of 508, three can")
    func ringTooShort() {
        func model(_ slotCount: Int) -> ReassemblerModel? {
            ReassemblerModel(
                object: Self.object(3_000),
                blockByteCount: 256,
                chunkSize: ChunkSize(wordCount: 127)!,
                slotCount: slotCount,
                receivedWordCount: 1
            )
        }
        #expect(model(2) == nil)
        let enough = model(3)!
        Self.finish(enough)
        #expect(enough.problem == nil && enough.isStored)
    }

    @Test("Receipts that can't follow the chunks of two blocks are too few")
    func receivedBitsTooFew() {
        func model(_ wordCount: Int) -> ReassemblerModel? {
            ReassemblerModel(
                object: Self.object(20_000),
                blockByteCount: 4_096,
                chunkSize: .smallest,
                slotCount: 2,
                receivedWordCount: wordCount
            )
        }
        #expect(model(1) == nil && model(8) == nil)
        let enough = model(16)!
        Self.finish(enough)
        #expect(enough.problem == nil && enough.isStored)
    }

    @Test("A block rejected after a jump over many held ones takes no later chunk for arrived")
    func rejectionAfterAJump() {
        // 40 blocks of 256, of which only the first two and the last four are missing, and receipts
        // for 128 chunks: the jump is many times as long.
        let model = ReassemblerModel(
            object: Self.object(40 * 256),
            blockByteCount: 256,
            chunkSize: .smallest,
            slotCount: 3,
            receivedWordCount: 2,
            held: Set(2..<36)
        )!
        for index: UInt32 in 0..<43 { model.place(index, payload: Self.right(index, model)) }
        #expect(model.cumulative == 36 * 256 / 12)
        model.handOver()
        model.handOver()
        model.reject(0)
        model.store(1)
        Self.finish(model)
        #expect(model.problem == nil)
        #expect(model.isStored)
    }

    @Test("A chunk that comes again changes nothing of a block that is with the store")
    func chunkOfTwoBlocks() {
        // Chunk 1 is the last of block 0 and the first of block 1.
        let model = ReassemblerModel(
            object: Self.object(40),
            blockByteCount: 16,
            chunkSize: .smallest,
            slotCount: 3,
            receivedWordCount: 1
        )!
        for index: UInt32 in 0..<3 { model.place(index, payload: Self.right(index, model)) }
        model.handOver()
        model.handOver()
        model.reject(1)
        model.place(1, payload: [UInt8](repeating: 0xA5, count: 12))
        #expect(model.isValid(0) && model.handedOver == [0])
        model.store(0)
        model.place(2, payload: Self.right(2, model))
        model.handOver()
        #expect(!model.isValid(1) && model.handedOver == [1])
        model.reject(1)
        Self.finish(model)
        #expect(model.problem == nil && model.isStored)
    }

    @Test("An answer to a block that was forgotten since is none, until it is handed over again")
    func lateAnswer() {
        let model = ReassemblerModel(
            object: Self.object(64),
            blockByteCount: 16,
            chunkSize: .smallest,
            slotCount: 3,
            receivedWordCount: 1
        )!
        for index: UInt32 in 0..<4 { model.place(index, payload: Self.right(index, model)) }
        for _ in 0..<3 { model.handOver() }
        #expect(model.handedOver == [0, 1, 2])
        model.reject(0)
        model.store(1)
        model.reject(2)
        #expect(model.handedOver.isEmpty && model.cumulative == 0)
        for index: UInt32 in 0..<3 { model.place(index, payload: Self.right(index, model)) }
        model.handOver()
        model.handOver()
        model.store(1)
        model.store(0)
        Self.finish(model)
        #expect(model.problem == nil && model.isStored)
    }

    @Test("An object that is held whole is complete and stored from the beginning")
    func heldWhole() {
        let model = ReassemblerModel(
            object: Self.object(1_000),
            blockByteCount: 256,
            chunkSize: .smallest,
            slotCount: 4,
            receivedWordCount: 2,
            held: [0, 1, 2, 3]
        )!
        #expect(model.isStored && model.cumulative == model.packetizer.chunkCount)
        #expect(model.problem == nil)
    }

    @Test(
        "Blocks around the half and at the end of an object of 4 GiB less a byte find places",
        arguments: [32_766..<32_770, 65_533..<65_536],
        [ChunkSize.smallest, .init(wordCount: 127)!]
    )
    func longestObject(missing: Range<Int>, chunkSize: ChunkSize) throws {
        let arena = LongestObject(missing: missing)
        defer { withExtendedLifetime(arena) {} }
        let packetizer = Packetizer(objectByteCount: .max, chunkSize: chunkSize)
        guard
            var reassembler = Reassembler(
                plan: arena.plan,
                chunkSize: chunkSize,
                memory: arena.memory
            )
        else {
            Issue.record("too little memory")
            return
        }
        let first = UInt32(missing.lowerBound * 65_536 / chunkSize.byteCount)
        #expect(reassembler.cumulative == first)
        let nothing: [UInt8] = []
        let past = reassembler.place(nothing.span.bytes, at: .max)
        #expect(past == .beyondEdge)
        let ringEnd = (missing.lowerBound + 2) * 65_536
        #expect(reassembler.edge == UInt32(ringEnd / chunkSize.byteCount))
        var isFirst = true
        while !reassembler.isStored {
            while reassembler.cumulative < reassembler.edge {
                let index = reassembler.cumulative
                let chunk = packetizer.byteRange(ofChunk: index).map(LongestObject.byte)
                let shortened = Array(chunk.dropLast())
                let short = reassembler.place(shortened.span.bytes, at: index)
                let placement = reassembler.place(chunk.span.bytes, at: index)
                try #require(short == .wrongLength && placement == .placed)
            }
            while let block = reassembler.nextCompleteBlock() {
                let isValid = reassembler.withBytes(ofBlock: block) { bytes in
                    LongestObject.isValid(bytes, block)
                }
                #expect(isValid, "block \(block)")
                // Each of them has to come again once.
                if isFirst { reassembler.rejected(block) } else { reassembler.stored(block) }
                isFirst.toggle()
            }
        }
        #expect(reassembler.isComplete && reassembler.cumulative == packetizer.chunkCount)
        #expect(reassembler.storedByteCount == .max)
    }
}

/// Memory for an object of 2³² − 1 bytes, all of which is held but some blocks of 65,536.
private final class LongestObject {
    let plan: ObjectPlan
    let memory: ReceiverMemory
    private let words: UnsafeMutableBufferPointer<UInt>

    init(missing: Range<Int>) {
        words = .allocate(capacity: BlockMap.wordCount(forBlockCount: 65_536))
        let held = BlockMap(blockCount: 65_536, in: words)
        for block in 0..<65_536 where !missing.contains(block) { held[block] = true }
        plan = ObjectPlan(object: .image, byteCount: .max, blockByteCount: 65_536, held: held)
        memory = ReceiverMemory(
            blocks: .allocate(byteCount: 2 * 65_536, alignment: 8),
            receivedBits: .allocate(capacity: 256)
        )
    }

    deinit {
        memory.blocks.deallocate()
        memory.receivedBits.deallocate()
        words.deallocate()
    }

    static func byte(_ offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: offset &* 31 ^ offset >> 8)
    }

    static func isValid(_ bytes: RawSpan, _ block: Int) -> Bool {
        bytes.byteCount == min(65_536, 4_294_967_295 - block * 65_536)
            && bytes.byteOffsets.allSatisfy { offset in
                bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                    == byte(block * 65_536 + offset)
            }
    }
}
