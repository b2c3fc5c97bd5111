import BLEOTADevice
import BLEOTASimulation
import BLEOTATestSupport
import Testing

/// A link that has no room for a frame for a while.
@Suite("A device whose link is full")
struct FullLinkTests {
    private static let image = TestImage(byteCount: 30_000)

    private static func world() throws -> World {
        try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
    }

    @Test("Each frame is offered until it is taken, and nothing is lost", arguments: 1...6)
    func everyFrame(refusalCount: Int) throws {
        let world = try Self.world()
        var (waiting, refusedCount): ([UInt8]?, Int) = (nil, 0)
        world.board.refuses = { frame in
            // It is the same until it is taken, whatever happens meanwhile.
            #expect(waiting == nil || waiting == frame)
            if refusedCount < refusalCount {
                waiting = frame
                refusedCount += 1
                return true
            }
            (waiting, refusedCount) = (nil, 0)
            return false
        }
        #expect(world.transfer(Self.image) == .verified)
        world.expectCurrent(Self.image)
    }

    @Test("For a time that a seed draws, again and again")
    func pauses() throws {
        for seed in TestSeed.rounds(10) {
            var random = TestSeed(seed)
            let world = try Self.world()
            var (isFull, until) = (false, world.clock.now)
            world.board.refuses = { [unowned world] _ in
                if world.clock.now >= until {
                    isFull.toggle()
                    until = world.clock.now + .milliseconds(random.below(isFull ? 2_000 : 400))
                }
                return isFull
            }
            #expect(world.transfer(Self.image) == .verified, "seed \(seed)")
            world.expectCurrent(Self.image, "seed \(seed)")
        }
    }

    @Test("An idle device says when to try again, and says its answer then")
    func idle() throws {
        let world = try Self.world()
        let device = try #require(world.device)
        #expect(device.run() == nil)
        world.board.refuses = { _ in true }
        let query = SenderControl.Query(session: SessionNumber(3))
        device.receive(control: FrameBytes.of(.query(query)))
        for _ in 0..<5 {
            let wait = try #require(device.run())
            #expect(wait > .zero && wait <= .milliseconds(100))
            world.clock.pass(wait)
        }
        #expect(world.frames.isEmpty)
        world.board.refuses = nil
        #expect(device.run() == nil)
        #expect(world.frames.count == 1)
    }
}
