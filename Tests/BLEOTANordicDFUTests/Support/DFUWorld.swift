import BLEOTACore
import BLEOTATestSupport

@testable import BLEOTANordicDFU

/// A device as a world sees it.
protocol ModelDevice {
    /// - Returns: what the device says, and whether it ends the link.
    mutating func take(_ action: DFUAction) -> (value: [UInt8]?, isRestarting: Bool)
    var isActivated: Bool { get }
}

extension ModelSecureDevice: ModelDevice {
    mutating func take(_ action: DFUAction) -> (value: [UInt8]?, isRestarting: Bool) {
        switch action {
        case .request(let value): (request(value), false)
        case .packet(let value): (packet(value), false)
        default: (nil, false)
        }
    }
}

extension ModelLegacyDevice: ModelDevice {
    mutating func take(_ action: DFUAction) -> (value: [UInt8]?, isRestarting: Bool) {
        switch action {
        case .request(let value): request(value)
        case .packet(let value): (packet(value), false)
        default: (nil, false)
        }
    }
}

/// A machine and a device in virtual time. The link loses packets and itself.
struct DFUWorld<Machine: DFUMachine & ~Copyable, Device: ModelDevice>: ~Copyable {
    var machine: Machine
    var device: Device
    /// How many of a hundred packets are lost.
    var packetLossPercent = 0
    /// How many of a thousand steps end the link.
    var linkLossPerMille = 0
    private(set) var notes: [DFUNote] = []
    private(set) var failures: [DFUFailure] = []
    private(set) var packetSizes: Set<Int> = []
    private(set) var stepCount = 0
    private(set) var now = Instant(microseconds: 0)
    private var random: TestSeed
    private var arriving: [[UInt8]] = []
    private var isUp = false

    init(_ machine: consuming Machine, _ device: Device, seed: UInt64 = 1) {
        self.machine = machine
        self.device = device
        random = TestSeed(seed)
    }

    /// Takes steps until the machine has finished, or gave up several times.
    mutating func run(stepCountMax: Int = 200_000) {
        while !machine.isFinished, failures.count < 30, stepCount < stepCountMax { step() }
        // What the machine still asks for once it has finished.
        while isUp, let action = machine.next(at: now) { take(action) }
    }

    mutating func step() {
        stepCount += 1
        now = now + .milliseconds(1)
        if !isUp {
            isUp = true
            arriving = []
            let sizes = [20, 61, 182, 244, 514]
            machine.linkUp(packetByteCountMax: sizes[random.below(sizes.count)], at: now)
        } else if random.below(1_000) < linkLossPerMille {
            loseLink()
        } else if let action = machine.next(at: now) {
            take(action)
        } else if !arriving.isEmpty {
            input(arriving.removeFirst())
        } else {
            now = max(now, machine.deadline ?? now)
            attempt { machine, now throws(DFUFailure) in try machine.expire(at: now) }
        }
    }

    mutating func input(_ value: [UInt8]) {
        attempt { machine, now throws(DFUFailure) in try machine.received(value, at: now) }
    }

    mutating func expire(after span: Microseconds) {
        now = now + span
        attempt { machine, now throws(DFUFailure) in try machine.expire(at: now) }
    }

    mutating func loseLink() {
        isUp = false
        machine.linkDown(at: now)
    }

    private mutating func attempt(
        _ body: (inout Machine, Instant) throws(DFUFailure) -> Void
    ) {
        do throws(DFUFailure) {
            try body(&machine, now)
        } catch {
            failures.append(error)
            loseLink()
        }
    }

    private mutating func take(_ action: DFUAction) {
        switch action {
        case .note(let note): notes.append(note)
        case .finish: break
        case .packet(let value):
            packetSizes.insert(value.count)
            if random.chance(packetLossPercent) { return }
            fallthrough
        case .request:
            let (value, isRestarting) = device.take(action)
            if let value { arriving.append(value) }
            if isRestarting { loseLink() }
        }
    }
}
