import BLEOTADevice
import BLEOTATestSupport
import Testing

/// Transfers during which the power of the device is cut: in every operation of the flash, before
/// it, in the midst of it, and after it.
@Suite("A device whose power is cut")
struct PowerCutTests {
    /// A device with an image, and one that is sent to it.
    struct Setting: Sendable, CustomStringConvertible {
        let geometry: NORFlash.Geometry
        let blockByteCount: Int
        let byteCount: Int
        let old = TestImage(byteCount: 30_000, seed: 99)
        let new: TestImage

        init(_ page: Int, _ unit: Int, block: Int, byteCount: Int) {
            geometry = NORFlash.Geometry(pageByteCount: page, writeByteCount: unit)
            blockByteCount = block
            self.byteCount = byteCount
            new = TestImage(byteCount: byteCount, blockByteCount: block)
        }

        var description: String { "\(geometry), blocks of \(blockByteCount), \(byteCount) bytes" }

        var extraByteCount: Int { max(0, new.manifest.count - 8_192) }

        func world(_ flash: NORFlash, seed: UInt64 = 1) throws -> World {
            try World(Board(flash), seed: seed) { [self] board in
                try SwiftDevice(
                    board,
                    blockByteCountMax: max(blockByteCount, 4_096),
                    extraByteCount: extraByteCount
                )
            }
        }

        /// A flash with the old image.
        func flash() throws -> NORFlash {
            let flash = NORFlash(geometry, clock: TestClock())
            let world = try world(flash)
            #expect(world.transfer(old) == .verified)
            world.expectCurrent(old)
            return flash
        }

        /// What a cut may cost: what is erased together, and what was in memory, which has room for
        /// two of the longest blocks, and where something held begins or ends the rest of a chunk.
        var lossMax: Int {
            max(geometry.pageByteCount, blockByteCount) + 2 * max(blockByteCount, 4_096) + 960
        }
    }

    private static let settings = [
        Setting(4_096, 4, block: 4_096, byteCount: 65_536),
        Setting(1_024, 8, block: 4_096, byteCount: 20_001),
        Setting(16_384, 32, block: 4_096, byteCount: 65_501),
        Setting(16_384, 1, block: 1_024, byteCount: 33_000),
        Setting(4_096, 8, block: 8_192, byteCount: 32_768),
    ]

    @Test(
        "At every operation of the flash the record is of an image that is there",
        arguments: settings
    )
    func records(setting: Setting) throws {
        let flash = try setting.flash()
        let world = try setting.world(flash.copy(clock: TestClock()))
        var recordCounts: [UInt32: Int] = [:]
        world.board.onHook = { hook in
            guard hook == .erase || hook == .write else { return }
            let record = Self.expectTrueRecord(world, setting)
            recordCounts[record?.imageByteCount ?? .max, default: 0] += 1
        }
        #expect(world.transfer(setting.new) == .verified)
        world.expectCurrent(setting.new)
        // The old one until it is dropped, which erases and programs a page; then none.
        #expect(recordCounts[30_000, default: 0] >= 2 && recordCounts[0, default: 0] >= 4)
        #expect(recordCounts.count == 2)
    }

    //= OBJ-6
    //= END-6
    @Test("The power is cut at every operation, and the sender goes on", arguments: settings)
    func everyOperation(setting: Setting) throws {
        let old = try setting.flash()
        let clean = try setting.world(old.copy(clock: TestClock()))
        #expect(clean.transfer(setting.new) == .verified)
        let operationCount = clean.flash.operationCount
        for operation in 0..<operationCount {
            for moment in NORFlash.Cut.Moment.allCases {
                let world = try setting.world(old.copy(clock: TestClock()))
                world.flash.cut = NORFlash.Cut(
                    operation: operation,
                    moment: moment,
                    random: TestSeed(UInt64(operation))
                )
                try Self.finish(world, setting, cutCount: 1, "\(moment) operation \(operation)")
            }
        }
    }

    @Test("The power is cut twice, also while the sender goes on", arguments: settings)
    func twice(setting: Setting) throws {
        let old = try setting.flash()
        let clean = try setting.world(old.copy(clock: TestClock()))
        #expect(clean.transfer(setting.new) == .verified)
        for seed in TestSeed.rounds(20) {
            var random = TestSeed(seed)
            let world = try setting.world(old.copy(clock: TestClock()))
            world.flash.cut = Self.cut(in: 0..<clean.flash.operationCount, &random)
            world.send(setting.new)
            world.run { $0.sender?.machine.outcome != nil }
            try #require(!world.flash.isPowered)
            Self.expectTrueRecord(world, setting)
            try world.restart()
            let done = world.flash.operationCount
            // Early in what is left, or anywhere in it; then perhaps never.
            let count = random.chance(50) ? 6 : max(1, clean.flash.operationCount - done)
            world.flash.cut = Self.cut(in: done..<done + count, &random)
            try Self.finish(world, setting, cutCount: 2, "seed \(seed)")
        }
    }

    private static func cut(in operations: Range<Int>, _ random: inout TestSeed) -> NORFlash.Cut {
        NORFlash.Cut(
            operation: operations.randomElement(using: &random)!,
            moment: NORFlash.Cut.Moment.allCases.randomElement(using: &random)!,
            random: TestSeed(random.next())
        )
    }

    /// Sends until the power is cut, and from there on to the end.
    private static func finish(
        _ world: World,
        _ setting: Setting,
        cutCount: Int,
        _ name: String
    ) throws {
        let name: Comment = "\(setting), \(name)"
        let outside = world.flash.outside
        if world.sender == nil { world.send(setting.new) }
        world.run { $0.sender?.machine.outcome != nil }
        if !world.flash.isPowered {
            expectTrueRecord(world, setting, name)
            try world.restart()
            world.run { $0.sender?.machine.outcome != nil }
        }
        #expect(world.sender?.machine.outcome == .verified, name)
        world.expectCurrent(setting.new, name)
        #expect(world.flash.outside == outside, name)
        let lost = world.deliveredImageByteCount - setting.byteCount
        #expect(lost <= cutCount * setting.lossMax, name)
        // What was once said to be durable stays that, from one session to the next.
        #expect(world.resumedByteCounts == world.resumedByteCounts.sorted(), name)
    }

    /// The record, which is of the old image or the new one, whole in the slot, or of none.
    @discardableResult
    private static func expectTrueRecord(
        _ world: World,
        _ setting: Setting,
        _ name: Comment? = nil
    ) -> SlotRecord? {
        // The power is off: what is read is what the next start would find.
        let flash = world.flash.copy(clock: TestClock())
        let reader = BoardHooks(board: Board(flash))
        guard let record = try? SlotRecord(of: reader), record.sequence > 0 else {
            Issue.record("no record: \(name?.rawValue ?? "")")
            return nil
        }
        guard record.imageByteCount > 0 else { return record }
        let image = record.imageByteCount == 30_000 ? setting.old : setting.new
        #expect(record.imageSHA256.tag == image.digestPrefix, name)
        #expect(record.imageByteCount == UInt32(image.bytes.count), name)
        #expect(flash.slot(image.bytes.count).elementsEqual(image.bytes), name)
        return record
    }
}
