import BLEOTACore
import BLEOTATestSupport

@testable import BLEOTAESPOTA

/// A machine and a device in virtual time. The link loses packets, answers and itself.
struct ESPWorld: ~Copyable {
    var machine: ESPTransfer
    var device: ModelESPDevice
    var takesCommands = false
    /// How many of a hundred write commands are lost.
    var packetLossPercent = 0
    /// How many of a hundred packets arrive damaged.
    var damagePercent = 0
    /// How many of a hundred answers to sectors are lost.
    var answerLossPercent = 0
    /// How many of ten thousand steps end the link.
    var linkLossRate = 0
    private(set) var notes: [ESPNote] = []
    private(set) var failures: [ESPFailure] = []
    private(set) var packetSizes: Set<Int> = []
    private(set) var linkCount = 0
    private(set) var now = Instant(microseconds: 0)
    private var stepCount = 0
    private var random: TestSeed
    private var arriving: ModelESPDevice.Answers = []
    private var isUp = false

    init(_ firmware: [UInt8], _ device: ModelESPDevice, seed: UInt64 = 1) {
        machine = ESPTransfer(firmware, silenceLimit: .seconds(10))
        self.device = device
        random = TestSeed(seed)
    }

    /// Takes steps until the machine has finished, or gave up several times.
    mutating func run() {
        while !machine.isFinished, failures.count < 30, stepCount < 500_000 { step() }
        while isUp, let action = machine.next(at: now) { take(action) }
    }

    mutating func step() {
        stepCount += 1
        now = now + .milliseconds(1)
        if !isUp {
            isUp = true
            linkCount += 1
            arriving = []
            let sizes = [20, 61, 182, 244, 514]
            let abilities = ESPTransfer.LinkAbilities(
                packetByteCountMax: sizes[random.below(sizes.count)],
                takesCommands: takesCommands,
                takesRequests: true
            )
            machine.linkUp(abilities, at: now)
        } else if random.below(10_000) < linkLossRate {
            loseLink(hasEnded: true)
        } else if let action = machine.next(at: now) {
            take(action)
        } else if !arriving.isEmpty {
            let (value, channel) = arriving.removeFirst()
            attempt { machine, now throws(ESPFailure) in
                try machine.received(value, from: channel, at: now)
            }
        } else if device.isRestarting {
            loseLink(hasEnded: true)
        } else {
            now = max(now, machine.deadline ?? now)
            attempt { machine, now throws(ESPFailure) in try machine.expire(at: now) }
        }
    }

    private mutating func loseLink(hasEnded: Bool) {
        isUp = false
        machine.linkDown(hasEnded: hasEnded)
        device.linkLost()
    }

    private mutating func attempt(
        _ body: (inout ESPTransfer, Instant) throws(ESPFailure) -> Void
    ) {
        do throws(ESPFailure) {
            try body(&machine, now)
        } catch {
            failures.append(error)
            loseLink(hasEnded: false)
        }
    }

    private mutating func take(_ action: ESPAction) {
        switch action {
        case .note(let note): notes.append(note)
        case .finish: break
        case .command(let value): arriving += device.command(value)
        case .packet(var value, let isRequest):
            packetSizes.insert(value.count)
            if !isRequest, random.chance(packetLossPercent) { return }
            if random.chance(damagePercent) { value[3] ^= 1 }
            arriving += device.packet(value).filter { _ in !random.chance(answerLossPercent) }
        }
    }
}
