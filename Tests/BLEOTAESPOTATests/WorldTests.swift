import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTAESPOTA

@Suite("Espressif's OTA in virtual time")
struct WorldTests {
    private static func firmware(seed: UInt64) -> [UInt8] {
        var random = TestSeed(seed)
        return (0..<1 + random.below(60_000)).map { _ in UInt8(random.below(256)) }
    }

    @Test("Every image arrives at every kind of device", arguments: ModelESPDevice.Kind.allCases)
    func whole(kind: ModelESPDevice.Kind) {
        for seed in UInt64(1)...40 {
            let firmware = Self.firmware(seed: seed)
            var world = ESPWorld(firmware, ModelESPDevice(kind), seed: seed)
            world.run()
            #expect(world.device.isActivated == true, "seed \(seed)")
            #expect((world.device.firmware == firmware) == true, "seed \(seed)")
            #expect(world.failures == [] && world.notes == [] && world.linkCount == 1)
            #expect(world.machine.deviceByteCount == firmware.count)
            #expect(world.machine.counters.repeatCount == 0)
            let packetSizes = world.packetSizes
            #expect(packetSizes.allSatisfy { $0 <= 512 })
        }
    }

    @Test("Lost packets are sent again, with several sectors in flight", arguments: [0, 2, 8])
    func packetLoss(window: UInt8) {
        for kind in [ModelESPDevice.Kind.strict, .forgetful] {
            for seed in UInt64(1)...40 {
                let firmware = Self.firmware(seed: seed)
                let device = ModelESPDevice(kind, window: window)
                var world = ESPWorld(firmware, device, seed: seed)
                world.takesCommands = true
                world.packetLossPercent = 2
                world.run()
                #expect(world.device.isActivated == true, "seed \(seed)")
                #expect((world.device.firmware == firmware) == true, "seed \(seed)")
                #expect(world.failures == [] && world.linkCount == 1, "seed \(seed)")
            }
        }
    }

    @Test("A device that looks at no CRC gets the image whole, or the push ends")
    func unchecked() {
        for seed in UInt64(1)...40 {
            let firmware = Self.firmware(seed: seed)
            var world = ESPWorld(firmware, ModelESPDevice(.unchecked), seed: seed)
            world.answerLossPercent = 5
            world.run()
            let isWhole = world.device.firmware == firmware
            #expect((world.failures.first == .unchecked) != isWhole, "seed \(seed)")
            #expect(world.machine.isFinished == isWhole, "seed \(seed)")
        }
    }

    @Test("Whatever a device says, the machine goes on or names a failure")
    func hostile() {
        for seed in UInt64(1)...300 {
            var random = TestSeed(seed)
            var talk = ESPConversation(sectorCount: 1 + random.below(6))
            for _ in 0..<200 {
                do throws(ESPFailure) {
                    switch random.below(6) {
                    case 0:
                        let status = UInt8(random.below(2))
                        try talk.answer(UInt8(random.below(4)), status, window: 9)
                    case 1: try talk.position(random.below(8))
                    case 2: try talk.expire(after: .seconds(random.below(31)))
                    case 3:
                        let status = UInt8(random.below(5))
                        try talk.sector(random.below(8), status, wanted: random.below(8))
                    default: _ = talk.actions()
                    }
                } catch {
                    talk.machine.linkDown(hasEnded: random.below(2) == 0)
                    talk.linkUp(takesCommands: random.below(2) == 0)
                }
                let byteCount = talk.machine.deviceByteCount
                #expect((0...6 * ESPSector.byteCount).contains(byteCount))
            }
        }
    }

    @Test("Damage, lost answers and lost links together", arguments: ModelESPDevice.Kind.checked)
    func everything(kind: ModelESPDevice.Kind) {
        for seed in UInt64(1)...100 {
            let firmware = Self.firmware(seed: seed)
            // A careless device could append one sector to another. It recommends no window.
            let window = kind == .careless ? 0 : UInt8(seed % 5)
            var world = ESPWorld(firmware, ModelESPDevice(kind, window: window), seed: seed)
            // It takes write requests alone.
            world.takesCommands = kind != .careless && seed.isMultiple(of: 2)
            world.packetLossPercent = 1
            world.damagePercent = seed.isMultiple(of: 3) ? 1 : 0
            world.answerLossPercent = 5
            world.linkLossRate = 2
            world.run()
            #expect(world.machine.isFinished == true, "seed \(seed)")
            #expect((world.device.firmware == firmware) == true, "seed \(seed)")
        }
    }
}
