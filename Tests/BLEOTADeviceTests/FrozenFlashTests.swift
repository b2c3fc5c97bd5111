import BLEOTADevice
import BLEOTAManifest
import BLEOTATestSupport
import Foundation
import Testing

/// What earlier versions of the device left in flash, in Tests/Frozen, read by this one: an update
/// replaces the receiver, and the new one finds the records and the blocks of the old one.
/// `scripts/freeze.sh` has made it.
@Suite("Frozen flash")
struct FrozenFlashTests {
    private static let folder = "Tests/Frozen"
    static let versions =
        ((try? FileManager.default.contentsOfDirectory(
            atPath: Repository.path(of: folder)
        )) ?? []).filter { Repository.exists("\(folder)/\($0)/flash.bin") }.sorted()

    private static let geometry = NORFlash.Geometry(
        pageByteCount: 1_024,
        writeByteCount: 4,
        slotByteCount: 16_384,
        manifestByteCount: 2_048
    )
    private static let key = TestKey(seed: 25)
    private static let first = image(counter: 5, seed: 1)
    private static let second = image(counter: 6, seed: 2)

    private static func image(counter: UInt32, seed: UInt64) -> TestImage {
        var value: [UInt8] = []
        value.append(counter)
        return TestImage(
            byteCount: 15_000,
            seed: seed,
            blockByteCount: 1_024,
            TestImage.Extras(attributes: [(.counter, value)], signers: [key])
        )
    }

    private static func world(_ flash: NORFlash) throws -> World {
        let board = Board(flash)
        board.takesUnsigned = false
        board.keys = [key]
        return try World(board)
    }

    private static func flash(_ name: String, _ version: String) throws -> NORFlash {
        let bytes = try Repository.bytes(of: "\(folder)/\(version)/\(name)")
        return NORFlash(geometry, holding: Array(bytes), clock: TestClock())
    }

    @Test("There is a frozen flash")
    func exists() { #expect(Self.versions.contains("1.0")) }

    @Test("A verified image and its counter are there", arguments: versions)
    func complete(version: String) throws {
        let world = try Self.world(Self.flash("flash.bin", version))
        world.expectCurrent(Self.first)
        #expect(world.record()?.counter == 5)
        #expect(world.transfer(Self.first) == .verified)
        // None of the image was sent again.
        #expect(world.deliveredImageByteCount == 0)
        let old = Self.image(counter: 4, seed: 3)
        #expect(world.transfer(old) == .refused(.downgrade, detail: 5))
        #expect(world.transfer(Self.second) == .verified)
        world.expectCurrent(Self.second)
    }

    @Test("A transfer goes on with the blocks that are there", arguments: versions)
    func half(version: String) throws {
        let world = try Self.world(Self.flash("flash-half.bin", version))
        #expect(world.record()?.counter == 5)
        #expect(world.transfer(Self.second) == .verified)
        world.expectCurrent(Self.second)
        #expect(try #require(world.resumedByteCounts.first) >= 4_096)
        #expect(world.deliveredImageByteCount < 12_000)
    }

    @Test(
        "Writes what this version leaves",
        .enabled(if: ProcessInfo.processInfo.environment["BLEOTA_FREEZE"] != nil)
    )
    func freeze() throws {
        let place = try #require(ProcessInfo.processInfo.environment["BLEOTA_FREEZE"])
        let world = try Self.world(NORFlash(Self.geometry, clock: TestClock()))
        #expect(world.transfer(Self.first) == .verified)
        try Data(world.flash.bytes).write(to: URL(filePath: "\(place)/flash.bin"))
        let next = try Self.world(world.flash.copy(clock: TestClock()))
        next.send(Self.second)
        next.run { $0.durableByteCountTold >= 4_096 }
        try Data(next.flash.bytes).write(to: URL(filePath: "\(place)/flash-half.bin"))
    }
}
