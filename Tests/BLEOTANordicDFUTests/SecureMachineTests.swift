import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTANordicDFU

/// The machine of Secure DFU in virtual time.
@Suite("The machine of Secure DFU")
struct SecureMachineTests {
    private typealias World = DFUWorld<SecureDFU, ModelSecureDevice>

    private static func part(_ byteCount: Int, seed: UInt64 = 7) -> DFUPart {
        var random = TestSeed(seed)
        return DFUPart(
            .application,
            initPacket: random.bytes(141),
            firmware: random.bytes(byteCount)
        )
    }

    private static func world(
        _ part: DFUPart,
        objectByteCountMax: Int = 4_096,
        seed: UInt64 = 1
    ) -> World {
        World(
            SecureDFU(part, silenceLimit: .seconds(10)),
            ModelSecureDevice(
                objectByteCountMax: objectByteCountMax,
                firmwareByteCount: part.firmware.count
            ),
            seed: seed
        )
    }

    @Test("An image of any length arrives", arguments: [1, 4, 4_095, 4_096, 4_097, 8_192, 30_001])
    func lengths(byteCount: Int) {
        let part = Self.part(byteCount)
        var world = Self.world(part)
        world.run()
        #expect(world.machine.isFinished && world.device.isActivated)
        #expect(world.device.firmware == part.firmware)
        #expect(world.device.initPacket == part.initPacket)
        #expect(world.failures.isEmpty && world.notes.isEmpty)
        #expect(world.machine.deviceByteCount == byteCount)
        #expect(world.machine.counters.repeatCount == 0)
        #expect(world.machine.counters.resumedFromByte == 0)
    }

    @Test("The conversation is the one that Nordic describes")
    func conversation() throws {
        let part = DFUPart(.application, initPacket: [1, 2, 3], firmware: Array(0..<50))
        var dfu = SecureDFU(part, silenceLimit: .seconds(10))
        let now = Instant(microseconds: 0)
        func answer(_ request: UInt8, _ content: [UInt8] = []) throws {
            try dfu.received([0x60, request, 1] + content, at: now)
        }
        dfu.linkUp(packetByteCountMax: 20, at: now)
        #expect(dfu.next(at: now) == .request([2, 6, 0]))
        #expect(dfu.next(at: now) == nil)
        try answer(2)
        #expect(dfu.next(at: now) == .request([6, 1]))
        try answer(6, [0, 2, 0, 0] + [UInt8](repeating: 0, count: 8))
        #expect(dfu.next(at: now) == .request([1, 1, 3, 0, 0, 0]))
        try answer(1)
        #expect(dfu.next(at: now) == .packet([1, 2, 3]))
        #expect(dfu.next(at: now) == .request([3]))
        try answer(3, [3, 0, 0, 0] + [0x1D, 0x80, 0xBC, 0x55])
        #expect(dfu.next(at: now) == .request([4]))
        try answer(4)
        #expect(dfu.next(at: now) == .request([6, 2]))
        try answer(6, [0, 16, 0, 0] + [UInt8](repeating: 0, count: 8))
        #expect(dfu.next(at: now) == .request([1, 2, 50, 0, 0, 0]))
        try answer(1)
        #expect(dfu.next(at: now) == .packet(Array(0..<20)))
        #expect(dfu.next(at: now) == .packet(Array(20..<40)))
        #expect(dfu.next(at: now) == .packet(Array(40..<50)))
        #expect(dfu.next(at: now) == .request([3]))
        var checksum = PrefixChecksum(part.firmware)
        let crc = checksum.checksum(ofFirst: 50)
        try answer(3, [50, 0, 0, 0] + withUnsafeBytes(of: crc.littleEndian, Array.init))
        #expect(dfu.next(at: now) == .request([4]))
        #expect(dfu.isFinished == false)
        try answer(4)
        #expect(dfu.isFinished == true)
        #expect(dfu.next(at: now) == .finish)
        #expect(dfu.next(at: now) == nil)
    }

    @Test("A lost link costs at most the packets that were on their way", arguments: 0..<40)
    func resumes(loss: Int) {
        let part = Self.part(20_000)
        var world = Self.world(part)
        for _ in 0..<(20 + 25 * loss) where !world.machine.isFinished { world.step() }
        let had = world.device.firmware.count
        if !world.machine.isFinished { world.loseLink() }
        world.run()
        #expect(world.device.isActivated && world.device.firmware == part.firmware)
        #expect(world.failures.isEmpty)
        #expect(!world.notes.contains(.restarted))
        if had > 0, had < 20_000 { #expect(world.notes.contains(.resumed(byteCount: had))) }
    }

    @Test("Whatever is lost, the image arrives, or the device is asked again")
    func losses() {
        for seed in TestSeed.rounds(TestScope.choose(60, full: 1_000)) {
            var random = TestSeed(seed)
            let part = Self.part(1 + random.below(20_000), seed: seed)
            let sizes = [256, 1_024, 4_096, 8_192]
            var world = Self.world(
                part,
                objectByteCountMax: sizes[random.below(sizes.count)],
                seed: seed
            )
            world.packetLossPercent = random.below(3)
            world.linkLossPerMille = random.below(8)
            world.run()
            let name = "seed 0x\(String(seed, radix: 16))"
            if world.machine.isFinished {
                #expect(world.device.firmware == part.firmware, "\(name)")
            } else {
                #expect(world.failures.count == 30, "\(name)")
            }
        }
    }

    @Test("No input in any state traps, and the machine comes to an end")
    func everyStateAndInput() {
        let part = Self.part(2_500)
        var last = Self.world(part, objectByteCountMax: 1_024)
        last.run()
        let inputs: [[UInt8]] =
            (UInt8(0)...13).flatMap { request in
                [
                    [0x60, request, 1], [0x60, request, 8], [0x60, request, 11, 5],
                    [0x60, request, 1] + [UInt8](repeating: 0, count: 12),
                    [0x60, request, 1] + [UInt8](repeating: 0xFF, count: 12),
                ]
            } + [[], [0x60], [0x60, 3], [0x11, 1, 2, 3, 4]]
        let stride = TestScope.choose(5, full: 1)
        for stepCount in Swift.stride(from: 0, to: last.stepCount + 2, by: stride) {
            for input in inputs {
                var world = Self.world(part, objectByteCountMax: 1_024)
                for _ in 0..<stepCount { world.step() }
                world.input(input)
                world.run(stepCountMax: 5_000)
                #expect(
                    world.machine.isFinished || !world.failures.isEmpty,
                    "\(stepCount) \(input)"
                )
            }
            for span in [Microseconds.zero, .seconds(2), .seconds(100)] {
                var world = Self.world(part, objectByteCountMax: 1_024)
                for _ in 0..<stepCount { world.step() }
                world.expire(after: span)
                world.loseLink()
                world.run(stepCountMax: 5_000)
                #expect(world.device.firmware == part.firmware, "\(stepCount) \(span)")
            }
        }
    }

    @Test("A silent device is noticed in every state that awaits an answer")
    func silence() throws {
        var dfu = SecureDFU(Self.part(100), silenceLimit: .seconds(10))
        let now = Instant(microseconds: 0)
        #expect(dfu.deadline == nil)
        dfu.linkUp(packetByteCountMax: 20, at: now)
        #expect(dfu.next(at: now) != nil)
        #expect(dfu.deadline == now + .seconds(10))
        try dfu.expire(at: now + .seconds(9))
        #expect(throws: DFUFailure.silent) { try dfu.expire(at: now + .seconds(10)) }
    }

    @Test("The window grows while objects arrive undamaged, and shrinks with a loss")
    func window() {
        var window = PacketWindow()
        #expect(window.packetCount == 12 && window.receiptInterval == 6)
        for _ in 0..<4 { window.objectArrived() }
        #expect(window.packetCount == 24)
        for _ in 0..<40 { window.objectArrived() }
        #expect(window.packetCount == PacketWindow.packetCountMax)
        window.lost()
        #expect(window.packetCount == 48)
        for _ in 0..<31 { window.objectArrived() }
        #expect(window.packetCount == 48)
        for _ in 0..<60 { window.objectArrived() }
        #expect(window.packetCount == 96)
        for _ in 0..<10 { window.lost() }
        #expect(window.packetCount == 2 && window.receiptInterval == 1)
    }

    @Test("A device that never has the right checksum is named")
    func damage() throws {
        var dfu = SecureDFU(Self.part(100), silenceLimit: .seconds(10))
        let now = Instant(microseconds: 0)
        dfu.linkUp(packetByteCountMax: 20, at: now)
        var device = ModelSecureDevice(objectByteCountMax: 64, firmwareByteCount: 100)
        func damaged(_ value: [UInt8]) -> [UInt8] {
            guard value[1] == 3, device.isInitExecuted else { return value }
            return value.dropLast() + [value[value.count - 1] ^ 1]
        }
        #expect(throws: DFUFailure.damaged(atByte: 0)) {
            for _ in 0..<1_000 {
                switch dfu.next(at: now) {
                case .request(let value)?:
                    let answer = device.request(value)
                    try dfu.received(damaged(answer), at: now)
                case .packet(let value)?:
                    let receipt = device.packet(value)
                    if let receipt { try dfu.received(damaged(receipt), at: now) }
                case .note?, .finish?, nil: break
                }
            }
        }
    }
}
