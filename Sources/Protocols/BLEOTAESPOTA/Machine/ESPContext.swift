import BLEOTACore

/// The data that a transfer keeps in every state.
struct ESPContext {
    /// The maximum window. The component `ble_ota_raw` derives the window from the size of a
    /// buffer, and recommends a window of at most 64.
    private static let windowMax = 64

    let firmware: [UInt8]
    let silenceLimit: Microseconds
    private(set) var packetByteCount = 20
    /// Whether packets are written with write commands, which the device does not acknowledge.
    private(set) var usesCommands = false
    private var takesRequests = true
    /// How many sectors may be in flight.
    private(set) var window = 1
    /// How many sectors the device has.
    private(set) var takenSectorCount = 0
    /// How many sectors the device may have, because at least the first packet of each was sent.
    /// The count covers all links, until the device starts over.
    private(set) var begunSectorCount = 0
    /// Whether the device has been asked over this link to forget an update.
    var hasForgotten = false
    var notes: [ESPNote] = []
    private(set) var counters = ESPCounters()
    private var furthestSectorCount = 0
    /// How many times the sector expected by the device had to be sent again.
    private var damageCount = 0
    /// Whether firmware has been sent, over any link, since the device was last asked to forget an
    /// update.
    private(set) var hasBegun = false
    /// Whether the device has yet to show which sector it expects.
    private(set) var isUntried = true

    init(_ firmware: [UInt8], silenceLimit: Microseconds) {
        self.firmware = firmware
        self.silenceLimit = silenceLimit
    }

    /// How long the device may take for a sector before the device is asked which sector it
    /// expects. Many devices answer Start before they erase megabytes of flash, and then answer no
    /// sector until the erasure is done. The limit may be long, because answers are rarely lost.
    var sectorLimit: Microseconds { silenceLimit * 3 }

    var sectorCount: Int {
        (firmware.count + ESPSector.byteCount - 1) / ESPSector.byteCount
    }

    func byteCount(ofSectors count: Int) -> Int {
        min(count * ESPSector.byteCount, firmware.count)
    }

    mutating func linkUp(_ abilities: ESPTransfer.LinkAbilities) {
        packetByteCount = abilities.packetByteCountMax
        usesCommands = abilities.takesCommands
        takesRequests = abilities.takesRequests
        window = 1
        hasForgotten = false
        damageCount = 0
    }

    /// - Parameter stated: the window in the answer to Start; 0 if the device does not state it.
    mutating func noteStarted(window stated: Int) {
        window = min(max(stated, 1), Self.windowMax)
        takenSectorCount = 0
        isUntried = true
    }

    /// Records that the device has sectors of another image, and is to forget them.
    mutating func noteForeign() {
        hasForgotten = true
        (hasBegun, begunSectorCount) = (false, 0)
        notes.append(.forgotten)
    }

    /// Records that the device has started, and keeps this many sectors.
    mutating func noteKept(sectorCount count: Int) {
        if count > 0 {
            notes.append(.resumed(byteCount: byteCount(ofSectors: count)))
        } else if hasBegun {
            notes.append(.restarted)
        }
        (takenSectorCount, begunSectorCount) = (count, count)
        isUntried = false
    }

    /// Records that the device has this many sectors.
    mutating func noteTaken(sectorCount count: Int) {
        if count > takenSectorCount { damageCount = 0 }
        takenSectorCount = count
        isUntried = false
    }

    mutating func noteSent(_ packet: [UInt8], of sector: Int, isLast: Bool) {
        hasBegun = true
        begunSectorCount = max(begunSectorCount, sector + 1)
        counters.packetCount += 1
        counters.byteCount += packet.count
        if sector < furthestSectorCount { counters.repeatCount += 1 }
        if isLast { furthestSectorCount = max(furthestSectorCount, sector + 1) }
    }

    /// Records that the device needs sectors again, from this one on.
    mutating func noteDamage(from sector: Int) throws(ESPFailure) {
        let byte = byteCount(ofSectors: sector)
        damageCount += 1
        if damageCount > ESPTransfer.repeatCountMax { throw .damaged(atByte: byte) }
        // Packets are lost when they arrive faster than the device can take them.
        if window > 1 {
            window /= 2
        } else if takesRequests {
            usesCommands = false
        }
        (takenSectorCount, begunSectorCount) = (sector, sector)
        isUntried = false
        notes.append(.repeated(fromByte: byte))
    }
}
