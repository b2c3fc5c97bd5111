import BLEOTADevice
import BLEOTATestSupport
import Testing

/// Whole transfers from the machine of a sender to a device with a flash, in virtual time.
@Suite("Transfers to a device")
struct TransferTests {
    @Test(
        "Images of any length, in flashes that program 1 to 32 bytes at once",
        arguments: [1, 2, 255, 256, 4_095, 4_096, 4_097, 12_345, 65_535, 65_536],
        [1, 4, 8, 32]
    )
    func lengths(byteCount: Int, writeByteCount: Int) throws {
        try Self.transfer(
            NORFlash.Geometry(writeByteCount: writeByteCount),
            byteCount: byteCount,
            blockByteCount: 4_096
        )
    }

    @Test(
        "Pages and blocks of any length, the ones longer or the others",
        arguments: [256, 1_024, 4_096, 16_384],
        [256, 512, 1_024, 2_048, 4_096, 8_192]
    )
    func geometries(pageByteCount: Int, blockByteCount: Int) throws {
        for (byteCount, writeByteCount) in [(300, 8), (20_011, 1), (8_191, 32), (16_385, 64)] {
            try Self.transfer(
                NORFlash.Geometry(
                    pageByteCount: pageByteCount,
                    writeByteCount: writeByteCount,
                    slotByteCount: 32_768
                ),
                byteCount: byteCount,
                blockByteCount: blockByteCount
            )
        }
    }

    /// One transfer without faults, to a device with the memory that it asks for, or more where the
    /// manifest needs it.
    private static func transfer(
        _ geometry: NORFlash.Geometry,
        byteCount: Int,
        blockByteCount: Int
    ) throws {
        let image = TestImage(byteCount: byteCount, blockByteCount: blockByteCount)
        let extra = max(0, image.manifest.count - 2 * blockByteCount)
        let flash = NORFlash(geometry, clock: TestClock())
        let outside = flash.outside
        let world = try World(Board(flash)) { board in
            try SwiftDevice(board, blockByteCountMax: blockByteCount, extraByteCount: extra)
        }
        let name: Comment = "\(geometry), blocks of \(blockByteCount), image of \(byteCount)"
        #expect(world.transfer(image) == .verified, name)
        world.expectCurrent(image, name)
        #expect(flash.outside == outside, name)
        #expect(world.endings == [.verified], name)
        // Each page that the image needs is erased once, and no other.
        let pageCount = (byteCount + geometry.pageByteCount - 1) / geometry.pageByteCount
        #expect(
            flash.slotEraseCounts.elementsEqual(
                (0..<flash.slotEraseCounts.count).map { $0 < pageCount ? 1 : 0 }
            ),
            name
        )
        #expect(world.record()?.sequence == 1 && world.record()?.counter == 0, name)
    }

    @Test("Links that lose, repeat, delay and damage what they carry", arguments: [20, 185, 244])
    func faults(frameByteCountMax: Int) throws {
        for seed in TestSeed.rounds(4) {
            var random = TestSeed(seed)
            let geometry = NORFlash.Geometry(
                pageByteCount: [256, 1_024, 4_096, 16_384].randomElement(using: &random)!,
                writeByteCount: [1, 4, 8, 32].randomElement(using: &random)!
            )
            let image = TestImage(
                byteCount: 1 + random.below(frameByteCountMax > 100 ? 65_536 : 16_384),
                blockByteCount: [1_024, 2_048, 4_096].randomElement(using: &random)!
            )
            let flash = NORFlash(geometry, clock: TestClock())
            let outside = flash.outside
            let world = try World(Board(flash), faults: .all, seed: seed)
            world.frameByteCountMax = frameByteCountMax
            let name: Comment = "seed \(seed), \(geometry), \(image.bytes.count) bytes"
            #expect(world.transfer(image) == .verified, name)
            world.expectCurrent(image, name)
            #expect(flash.outside == outside, name)
        }
    }

    @Test("One image after another takes the records in turns, and the newest counts")
    func succession() throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        for round in 1...5 {
            let image = TestImage(byteCount: 3_000 * round, seed: UInt64(round))
            #expect(world.transfer(image) == .verified)
            world.expectCurrent(image)
            // One record says that the image before is gone, one that the new one is there.
            #expect(world.record()?.sequence == UInt32(2 * round - 1))
            try world.restart()
            world.expectCurrent(image)
        }
    }

    @Test("The same transfer again is told to be current, without a touch of the flash")
    func alreadyCurrent() throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        let image = TestImage(byteCount: 9_000)
        #expect(world.transfer(image) == .verified)
        let operationCount = world.flash.operationCount
        #expect(world.transfer(image) == .verified)
        try world.restart()
        #expect(world.transfer(image) == .verified)
        #expect(world.flash.operationCount == operationCount)
        world.expectCurrent(image)
    }

    @Test("What two images have in common is not sent again")
    func common() throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        let first = TestImage(byteCount: 40_960)
        #expect(world.transfer(first) == .verified)
        var bytes = first.bytes
        bytes[20_000] ^= 1
        let second = TestImage(bytes)
        let before = world.deliveredImageByteCount
        #expect(world.transfer(second) == .verified)
        world.expectCurrent(second)
        // A block, and at each border of it the rest of a chunk.
        #expect(world.deliveredImageByteCount - before <= 4_096 + 2 * 240)
    }

    @Test("A last unit that reads erased as far as the image goes, and is not")
    func lastUnit() throws {
        let geometry = NORFlash.Geometry(writeByteCount: 32)
        let world = try World(Board(NORFlash(geometry, clock: TestClock())))
        var bytes = TestImage(byteCount: 4_096).bytes
        bytes.replaceSubrange(3_072..<3_082, with: repeatElement(0xFF, count: 10))
        #expect(world.transfer(TestImage(bytes, blockByteCount: 1_024)) == .verified)
        // The same in the same page up to there.
        let shorter = TestImage(
            bytes[..<3_072] + (0..<10).map { $0 },
            blockByteCount: 1_024
        )
        #expect(world.transfer(shorter) == .verified)
        world.expectCurrent(shorter)
    }
}
