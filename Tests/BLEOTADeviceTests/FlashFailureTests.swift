import BLEOTADevice
import BLEOTASimulation
import BLEOTATestSupport
import Testing

/// Hooks that fail, once, at each of their calls in turn.
@Suite("A device whose flash fails")
struct FlashFailureTests {
    private static let old = TestImage(byteCount: 6_000, seed: 99)
    private static let new = TestImage(byteCount: 9_000)

    private static func world(_ flash: NORFlash) throws -> World { try World(Board(flash)) }

    private static func flash() throws -> NORFlash {
        let flash = NORFlash(NORFlash.Geometry(pageByteCount: 2_048), clock: TestClock())
        #expect(try world(flash).transfer(old) == .verified)
        return flash
    }

    @Test(
        "Every failure ends the session by name, and the next one is a good one",
        arguments: [false, true]
    )
    func everyCall(isDone: Bool) throws {
        let flash = try Self.flash()
        let clean = try Self.world(flash.copy(clock: TestClock()))
        let start = clean.board.fallibleCallCount
        #expect(clean.transfer(Self.new) == .verified)
        let end = clean.board.fallibleCallCount
        try #require(end - start >= 30)
        for call in start..<end {
            let name: Comment = "call \(call)"
            let world = try Self.world(flash.copy(clock: TestClock()))
            world.board.failure = (call, isDone)
            // Whatever fails, the record is of an image that is there, also if the power is cut
            // now.
            world.board.onHook = { hook in
                if hook == .erase || hook == .write { Self.expectTrueRecord(world.flash, name) }
            }
            #expect(world.transfer(Self.new) == .refused(.storeFailed, detail: 0), name)
            #expect(world.board.events.contains(.flashFailed(BoardHooks.fault)), name)
            #expect(world.endings.last == .storeFailed, name)
            Self.expectTrueRecord(world.flash, name)
            #expect(world.transfer(Self.new) == .verified, name)
            world.expectCurrent(Self.new, name)
            try world.restart()
            #expect(world.transfer(Self.new) == .verified, name)
        }
    }

    @Test("At two calls, wherever they are")
    func twoCalls() throws {
        let flash = try Self.flash()
        for seed in TestSeed.rounds(60) {
            var random = TestSeed(seed)
            let world = try Self.world(flash.copy(clock: TestClock()))
            let name: Comment = "seed \(seed)"
            world.board.onHook = { hook in
                if hook == .erase || hook == .write { Self.expectTrueRecord(world.flash, name) }
            }
            for _ in 0..<2 {
                let call = world.board.fallibleCallCount + random.below(50)
                world.board.failure = (call, random.chance(50))
                _ = world.transfer(Self.new)
            }
            world.board.failure = nil
            #expect(world.transfer(Self.new) == .verified, name)
            world.expectCurrent(Self.new, name)
        }
    }

    @Test("At forgetting a transfer")
    func forgetting() throws {
        let world = try Self.world(try Self.flash())
        world.send(Self.new)
        world.run { $0.durableByteCountTold > 0 }
        world.board.failure = (world.board.fallibleCallCount, false)
        world.sender?.machine.abort(.withdrawn)
        world.run { $0.endings.last == .withdrawn }
        let latest = world.clock.now + .milliseconds(100)
        world.run { $0.clock.now >= latest }
        #expect(world.transfer(Self.new) == .verified)
        world.expectCurrent(Self.new)
    }

    /// A release of one session once ended the next one with its fault.
    @Test("At forgetting a transfer, while the next session begins", arguments: 0..<6)
    func forgettingBeforeTheNext(call: Int) throws {
        let world = try Self.world(try Self.flash())
        let device = try #require(world.device as? SwiftDevice)
        world.send(Self.new)
        world.run { $0.durableByteCountTold > 0 }
        let session = try #require(world.sender).machine.session
        let close = SenderControl.Close(session: session, reason: .withdrawn)
        device.receive(control: FrameBytes.of(.close(close)))
        world.stopSending()
        world.board.failure = (world.board.fallibleCallCount + call, false)
        _ = device.run()
        device.receive(control: Self.new.open(0x7777))
        world.run { $0.board.events.contains(.flashFailed(BoardHooks.fault)) }
        #expect(world.board.events.contains(.flashFailed(BoardHooks.fault)))
        #expect(device.lastEnding == .withdrawn)
        #expect(device.phase == .lookingUp)
        #expect(world.transfer(Self.new) == .verified)
        world.expectCurrent(Self.new)
    }

    @Test("At the start, which does not begin then")
    func start() throws {
        let board = Board(try Self.flash())
        for call in 0..<2 {
            board.failure = (board.fallibleCallCount + call, false)
            #expect(throws: BoardHooks.fault) { try SwiftDevice(board) }
        }
        _ = try SwiftDevice(board)
    }

    /// The record is of an image that is whole, or of none.
    static func expectTrueRecord(_ flash: NORFlash, _ name: Comment) {
        let reader = BoardHooks(board: Board(flash.copy(clock: TestClock())))
        guard let record = try? SlotRecord(of: reader), record.sequence > 0 else {
            Issue.record("no record: \(name.rawValue)")
            return
        }
        guard record.imageByteCount > 0 else { return }
        let image = record.tag == old.tag.rawValue ? old : new
        #expect(record.imageSHA256.tag == image.digestPrefix, name)
        #expect(flash.slot(image.bytes.count).elementsEqual(image.bytes), name)
    }
}
