import BLEOTACore

/// The data that a transfer keeps in every state.
struct SecureContext {
    /// The minimum length of a packet: the smallest ATT_MTU leaves 20 bytes.
    private static let packetByteCountMin = 20

    let part: DFUPart
    let silenceLimit: Microseconds
    private(set) var packetByteCount = SecureContext.packetByteCountMin
    var window = PacketWindow()
    /// The number of packets after which the device was asked to send a receipt.
    var receiptInterval = 0
    /// The maximum length of an object of firmware, as the device reports it.
    private(set) var objectByteCountMax = 0
    /// How much firmware the device is known to have.
    private(set) var deviceByteCount = 0
    var notes: [DFUNote] = []
    var counters = DFUCounters()
    var lastNewsAt = Instant(microseconds: 0)
    /// Whether the link was lost after the device was asked to execute the last object, and before
    /// it answered.
    var mayBeFinished = false
    private var initChecksum: PrefixChecksum
    private var firmwareChecksum: PrefixChecksum
    /// The number of times that the current object has arrived damaged or in part.
    private var damageCount = 0
    /// Whether the device had a part of the image when a link came up.
    private var isResumed = false
    /// Whether the transfer has been started over from the init packet.
    private var hasRestarted = false

    init(_ part: DFUPart, silenceLimit: Microseconds) {
        self.part = part
        self.silenceLimit = silenceLimit
        initChecksum = PrefixChecksum(part.initPacket)
        firmwareChecksum = PrefixChecksum(part.firmware)
    }

    mutating func linkUp(packetByteCountMax: Int, at now: Instant) {
        // Flash is written in words, so bootloaders expect packets of whole words.
        packetByteCount = max(packetByteCountMax / 4 * 4, Self.packetByteCountMin)
        mayBeFinished = false
        damageCount = 0
        lastNewsAt = now
    }

    func byteCount(of kind: SecureObject.Kind) -> Int {
        kind == .initPacket ? part.initPacket.count : part.firmware.count
    }

    func bytes(of object: SecureObject, _ range: Range<Int>) -> [UInt8] {
        Array((object.kind == .initPacket ? part.initPacket : part.firmware)[range])
    }

    /// Whether the device's offset and checksum are those of a prefix of the init packet or of the
    /// firmware.
    mutating func isRight(
        _ state: SecureResponse.ObjectState,
        of kind: SecureObject.Kind
    ) -> Bool {
        guard state.offset <= byteCount(of: kind) else { return false }
        let checksum =
            kind == .initPacket
            ? initChecksum.checksum(ofFirst: state.offset)
            : firmwareChecksum.checksum(ofFirst: state.offset)
        return checksum == state.checksum
    }

    var initPacketObject: SecureObject {
        SecureObject(kind: .initPacket, range: 0..<part.initPacket.count)
    }

    /// The object of firmware that contains the byte at this offset.
    func firmwareObject(at offset: Int) -> SecureObject {
        let start = offset - offset % objectByteCountMax
        let end = min(start + objectByteCountMax, part.firmware.count)
        return SecureObject(kind: .firmware, range: start..<end)
    }

    /// - Returns: whether the length is more than 0.
    mutating func noteObjectByteCountMax(_ byteCount: Int) -> Bool {
        objectByteCountMax = byteCount
        return byteCount > 0
    }

    mutating func noteFirmware(upTo offset: Int) { deviceByteCount = offset }

    /// Records that the device has executed an object.
    mutating func noteExecuted(_ object: SecureObject) {
        damageCount = 0
        guard object.kind == .firmware else { return }
        deviceByteCount = object.range.upperBound
        window.objectArrived()
    }

    /// Records that the device had this much of the image when the link came up.
    mutating func noteResumed(from offset: Int) {
        deviceByteCount = offset
        counters.resumedFromByte = counters.resumedFromByte ?? offset
        if offset > 0 {
            isResumed = true
            notes.append(.resumed(byteCount: offset))
        }
    }

    /// Records that packets of an object were lost or damaged.
    ///
    /// - Returns: whether to start the transfer over, because the damage may be in an earlier part,
    ///   which the device had when a link came up.
    mutating func noteDamage(
        _ object: SecureObject,
        from offset: Int
    ) throws(DFUFailure) -> Bool {
        damageCount += 1
        window.lost()
        if damageCount > SecureDFU.repeatCountMax {
            if isResumed, !hasRestarted { return true }
            throw .damaged(atByte: offset)
        }
        if object.kind == .firmware { notes.append(.repeated(fromByte: offset)) }
        return false
    }

    /// Records that the image is sent again from its beginning.
    ///
    /// - Returns: `false` if that has been done before, so another time would not help.
    mutating func noteRestart() -> Bool {
        defer { hasRestarted = true }
        deviceByteCount = 0
        damageCount = 0
        if !hasRestarted { notes.append(.restarted) }
        return !hasRestarted
    }
}
