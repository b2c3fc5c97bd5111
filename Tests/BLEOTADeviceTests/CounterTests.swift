import BLEOTADevice
import BLEOTAManifest
import BLEOTATestSupport
import Testing

/// The lowest security counter that a device takes.
@Suite("The counter of a device")
struct CounterTests {
    private static let key = TestKey(seed: 1)

    private static func image(_ counter: UInt32, seed: UInt64, signers: [TestKey] = [key])
        -> TestImage
    {
        var value: [UInt8] = []
        value.append(counter)
        return TestImage(
            byteCount: 6_000,
            seed: seed,
            TestImage.Extras(attributes: [(.counter, value)], signers: signers)
        )
    }

    private static func world(_ flash: NORFlash) throws -> World {
        let board = Board(flash)
        board.takesUnsigned = false
        board.keys = [key]
        return try World(board)
    }

    //= ACCEPT-5
    //= ACCEPT-7
    @Test("It goes up with a signed image, and stays up")
    func up() throws {
        let world = try Self.world(NORFlash(NORFlash.Geometry(), clock: TestClock()))
        #expect(world.transfer(Self.image(5, seed: 1)) == .verified)
        #expect(world.record()?.counter == 5)
        #expect(world.transfer(Self.image(4, seed: 2)) == .refused(.downgrade, detail: 5))
        try world.restart()
        #expect(world.transfer(Self.image(4, seed: 2)) == .refused(.downgrade, detail: 5))
        #expect(world.transfer(Self.image(5, seed: 3)) == .verified)
        #expect(world.transfer(Self.image(.max, seed: 4)) == .verified)
        #expect(world.record()?.counter == .max)
        #expect(world.transfer(Self.image(5, seed: 3)) == .refused(.downgrade, detail: 0xFFFF_FFFF))
        world.expectNoViolations()
    }

    //= ACCEPT-7
    @Test(
        "Only a key that is trusted raises it, or whoever may write could lock out all to come",
        arguments: [[], [TestKey(seed: 2)]]
    )
    func raisedByNobody(signers: [TestKey]) throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        world.board.keys = [Self.key]
        #expect(world.transfer(Self.image(.max, seed: 1, signers: signers)) == .verified)
        #expect(world.record()?.counter == 0)
        #expect(world.transfer(Self.image(3, seed: 2)) == .verified)
        #expect(world.record()?.counter == 3)
    }

    //= ACCEPT-7
    @Test("An image that no trusted key has signed does not lower it")
    func loweredByNobody() throws {
        let world = try Self.world(NORFlash(NORFlash.Geometry(), clock: TestClock()))
        #expect(world.transfer(Self.image(5, seed: 1)) == .verified)
        world.board.takesUnsigned = true
        #expect(world.transfer(Self.image(6, seed: 2, signers: [])) == .verified)
        #expect(world.record()?.counter == 5)
        try world.restart()
        #expect(world.transfer(Self.image(4, seed: 3)) == .refused(.downgrade, detail: 5))
    }

    //= ACCEPT-7
    @Test("It never goes back, at whatever operation the power is cut")
    func cut() throws {
        let old = NORFlash(NORFlash.Geometry(), clock: TestClock())
        let first = try Self.world(old)
        #expect(first.transfer(Self.image(5, seed: 1)) == .verified)
        let clean = try Self.world(old.copy(clock: TestClock()))
        let new = Self.image(9, seed: 2)
        #expect(clean.transfer(new) == .verified)
        let count = clean.flash.operationCount
        try #require(count > 8)
        for operation in 0..<count {
            for moment in NORFlash.Cut.Moment.allCases {
                let name: Comment = "\(moment) operation \(operation)"
                let world = try Self.world(old.copy(clock: TestClock()))
                world.flash.cut = NORFlash.Cut(
                    operation: operation,
                    moment: moment,
                    random: TestSeed(UInt64(operation))
                )
                #expect(world.transfer(new) == nil || operation == count - 1, name)
                try world.restart()
                let isLast = operation == count - 1 && moment == .after
                #expect(world.record()?.counter == (isLast ? 9 : 5), name)
                let lower = world.transfer(Self.image(4, seed: 3))
                #expect(lower == .refused(.downgrade, detail: isLast ? 9 : 5), name)
                #expect(world.transfer(new) == .verified, name)
                #expect(world.record()?.counter == 9, name)
                world.expectCurrent(new, name)
            }
        }
    }
}
