import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTANordicDFU

/// The machine of Legacy DFU in virtual time.
@Suite("The machine of Legacy DFU")
struct LegacyMachineTests {
    private typealias World = DFUWorld<LegacyDFU, ModelLegacyDevice>

    private static func part(_ byteCount: Int, seed: UInt64 = 7) -> DFUPart {
        var random = TestSeed(seed)
        return DFUPart(
            .application,
            initPacket: random.bytes(14),
            firmware: random.bytes(byteCount)
        )
    }

    private static func world(_ part: DFUPart, seed: UInt64 = 1) -> World {
        World(
            LegacyDFU(part, silenceLimit: .seconds(10)),
            ModelLegacyDevice(expecting: part.firmware),
            seed: seed
        )
    }

    @Test("An image of any length arrives", arguments: [1, 4, 20, 21, 79, 80, 81, 8_000])
    func lengths(byteCount: Int) {
        let part = Self.part(byteCount)
        var world = Self.world(part)
        world.run()
        #expect(world.machine.isFinished && world.device.isActivated)
        #expect(world.failures.isEmpty && world.notes.isEmpty)
        #expect(world.machine.deviceByteCount == byteCount)
        #expect(world.packetSizes.max()! <= 20)
    }

    @Test("The conversation is the one that Nordic describes")
    func conversation() throws {
        let part = DFUPart(
            .softdeviceAndBootloader,
            initPacket: Array(0..<30),
            firmware: Array(0..<24),
            softdeviceByteCount: 16,
            bootloaderByteCount: 8
        )
        var dfu = LegacyDFU(part, silenceLimit: .seconds(10))
        let now = Instant(microseconds: 0)
        dfu.linkUp(packetByteCountMax: 244, at: now)
        #expect(dfu.next(at: now) == .request([1, 3]))
        #expect(dfu.next(at: now) == .packet([16, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]))
        #expect(dfu.next(at: now) == nil)
        try dfu.received([0x10, 1, 1], at: now)
        #expect(dfu.next(at: now) == .request([2, 0]))
        #expect(dfu.next(at: now) == .packet(Array(0..<20)))
        #expect(dfu.next(at: now) == .packet(Array(20..<30)))
        #expect(dfu.next(at: now) == .request([2, 1]))
        try dfu.received([0x10, 2, 1], at: now)
        #expect(dfu.next(at: now) == .request([8, 4, 0]))
        #expect(dfu.next(at: now) == .request([3]))
        #expect(dfu.next(at: now) == .packet(Array(0..<20)))
        #expect(dfu.next(at: now) == .packet(Array(20..<24)))
        #expect(dfu.next(at: now) == nil)
        try dfu.received([0x10, 3, 1], at: now)
        #expect(dfu.next(at: now) == .request([4]))
        try dfu.received([0x10, 4, 1], at: now)
        #expect(dfu.isFinished == false)
        #expect(dfu.next(at: now) == .request([5]))
        #expect(dfu.isFinished == true)
        #expect(dfu.next(at: now) == .finish)
        #expect(dfu.next(at: now) == nil)
    }

    @Test("After a lost link the image begins anew, on a device that had to be reset")
    func beginsAnew() {
        let part = Self.part(4_000)
        var world = Self.world(part)
        for _ in 0..<150 { world.step() }
        world.loseLink()
        world.run()
        #expect(world.device.isActivated)
        #expect(world.notes == [.restarted])
        #expect(world.failures.isEmpty)
    }

    @Test("Whatever is lost, only the right image is activated")
    func losses() {
        for seed in TestSeed.rounds(TestScope.choose(60, full: 1_000)) {
            var random = TestSeed(seed)
            let part = Self.part(1 + random.below(3_000), seed: seed)
            var world = Self.world(part, seed: seed)
            world.packetLossPercent = random.chance(30) ? 1 : 0
            world.linkLossPerMille = random.below(3)
            world.run()
            let isAsExpected = world.device.isActivated || !world.failures.isEmpty
            #expect(isAsExpected, "seed 0x\(String(seed, radix: 16))")
        }
    }

    @Test("No input in any state traps, and the machine comes to an end")
    func everyStateAndInput() {
        let part = Self.part(300)
        var last = Self.world(part)
        last.run()
        let inputs: [[UInt8]] =
            (UInt8(0)...9).flatMap { request in
                (UInt8(0)...7).map { [0x10, request, $0] }
            } + [[], [0x10], [0x11, 1], [0x11, 255, 255, 255, 255], [0x11, 20, 0, 0, 0]]
        for stepCount in 0..<last.stepCount + 2 {
            for input in inputs {
                var world = Self.world(part)
                for _ in 0..<stepCount { world.step() }
                world.input(input)
                world.run(stepCountMax: 5_000)
                #expect(
                    world.machine.isFinished || !world.failures.isEmpty,
                    "\(stepCount) \(input)"
                )
            }
            for span in [Microseconds.zero, .seconds(5), .seconds(100)] {
                var world = Self.world(part)
                for _ in 0..<stepCount { world.step() }
                world.expire(after: span)
                world.loseLink()
                world.run(stepCountMax: 5_000)
                #expect(world.machine.isFinished == true, "\(stepCount) \(span)")
            }
        }
    }

    @Test("A refusal is the failure, and a wrong CRC only once it repeats itself")
    func refusals() throws {
        var dfu = LegacyDFU(Self.part(100), silenceLimit: .seconds(10))
        let now = Instant(microseconds: 0)
        dfu.linkUp(packetByteCountMax: 20, at: now)
        while dfu.next(at: now) != nil {}
        #expect(throws: DFUFailure.refusedByLegacy(.tooLarge, .start)) {
            try dfu.received([0x10, 1, 4], at: now)
        }
        var failures: [DFUFailure] = []
        while failures.count < 4 {
            dfu.linkDown(at: now)
            dfu.linkUp(packetByteCountMax: 20, at: now)
            do {
                for request: UInt8 in 1...4 {
                    while let action = dfu.next(at: now) {
                        if case .packet = action { continue }
                    }
                    if request == 3 {
                        for end in stride(from: 20, through: 100, by: 20) {
                            try dfu.received([0x11, UInt8(end), 0, 0, 0], at: now)
                            while dfu.next(at: now) != nil {}
                        }
                    }
                    try dfu.received([0x10, request, request == 4 ? 5 : 1], at: now)
                }
            } catch {
                failures.append(error)
            }
        }
        #expect(failures == [.lost, .lost, .lost, .refusedByLegacy(.wrongCRC, .validation)])
    }
}
