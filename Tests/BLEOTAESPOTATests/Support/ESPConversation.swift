import BLEOTACore
import Testing

@testable import BLEOTAESPOTA

/// A machine whose device says what a test wants.
struct ESPConversation: ~Copyable {
    var machine: ESPTransfer
    private(set) var now = Instant(microseconds: 0)

    /// - Parameter sectorCount: how many whole sectors the image has.
    init(sectorCount: Int, takesCommands: Bool = false) {
        self.init([UInt8](repeating: 0xE9, count: sectorCount * ESPSector.byteCount))
        linkUp(takesCommands: takesCommands)
    }

    init(_ firmware: [UInt8]) {
        machine = ESPTransfer(firmware, silenceLimit: .seconds(10))
    }

    /// Packets of 514 bytes would be too long; a sector has 9 of 512 bytes.
    mutating func linkUp(takesCommands: Bool = false, packetByteCountMax: Int = 514) {
        let abilities = ESPTransfer.LinkAbilities(
            packetByteCountMax: packetByteCountMax,
            takesCommands: takesCommands,
            takesRequests: true
        )
        machine.linkUp(abilities, at: now)
    }

    /// Everything that the machine asks for at this time.
    mutating func actions() -> [ESPAction] {
        var actions: [ESPAction] = []
        while let action = machine.next(at: now) { actions.append(action) }
        return actions
    }

    /// The sectors whose last packet the machine sends now.
    mutating func sentSectors() -> [Int] {
        actions().compactMap { action in
            guard case .packet(let value, _) = action, value[2] == 0xFF else { return nil }
            return Int(value[0]) | Int(value[1]) << 8
        }
    }

    mutating func answer(
        _ command: UInt8,
        _ status: UInt8 = 0,
        window: UInt8 = 0
    ) throws(ESPFailure) {
        let (value, channel) = ModelESPDevice.answer(command, status, window)
        try machine.received(value, from: channel, at: now)
    }

    mutating func sector(
        _ index: Int,
        _ status: UInt8 = 0,
        wanted: Int = 0
    ) throws(ESPFailure) {
        let (value, channel) = ModelESPDevice.sector(index, status, wanted: wanted)
        try machine.received(value, from: channel, at: now)
    }

    /// The device answers which sector it expects.
    mutating func position(_ wanted: Int) throws(ESPFailure) {
        try sector(ESPSector.indexOfNone, 2, wanted: wanted)
    }

    mutating func expire(after span: Microseconds) throws(ESPFailure) {
        now = now + span
        try machine.expire(at: now)
    }

    /// The device accepts the start.
    mutating func start(window: UInt8 = 0) throws {
        #expect(actions().count == 1)
        try answer(1, window: window)
    }

    /// The failure of a step; `nil` if it succeeds.
    mutating func failure(
        of body: (inout ESPConversation) throws -> Void
    ) throws -> ESPFailure? {
        do {
            try body(&self)
            return nil
        } catch let failure as ESPFailure {
            return failure
        }
    }
}
