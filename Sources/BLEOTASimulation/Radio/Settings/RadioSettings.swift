public import BLEOTACore

/// A link of Bluetooth LE: what was agreed on, what its ends can do, and what goes wrong.
public struct RadioSettings: Sendable, Hashable {
    /// How many bytes the longest packets of a link have: without the data length extension, and
    /// at most (Bluetooth Core 6.2, volume 6, part B, 4.5.10).
    public static let packetByteCountRange = 27...251
    /// The check of an encrypted packet that is not empty (Bluetooth Core 5.4, volume 6, part B,
    /// 2.4).
    static let integrityCheckByteCount = 4
    /// Of a write command, a write request and a notification: opcode and handle (volume 3, part F,
    /// 3.4.5.1, 3.4.5.3 and 3.4.7.1).
    static let attHeaderByteCount = 3
    /// Length and channel, before all that L2CAP carries (volume 3, part A, 3.1).
    static let l2capHeaderByteCount = 4
    /// How long a value is, in the first frame of those that carry it over a channel with credits
    /// (volume 3, part A, 3.4).
    static let lengthFieldByteCount = 2
    /// Before an attribute value on the unenhanced bearer.
    static let valueOverheadByteCount = attHeaderByteCount + l2capHeaderByteCount

    /// The physical layer, the same in both directions.
    public var phy = PHY.le2M
    /// Whether packets have up to ``packetByteCountLimit`` bytes, not 27 (volume 6, part B,
    /// 4.5.10).
    public var hasDataLengthExtension = true
    /// The most bytes that both controllers agreed on with the data length extension, in
    /// ``packetByteCountRange``. ``fitted`` finds what an event has time for.
    public var packetByteCountLimit = packetByteCountRange.upperBound
    /// Whether packets carry a check of 4 bytes; with ``enhancedBearers`` they always do (volume 3,
    /// part G, 5.3).
    public var isEncrypted = false
    /// From one connection event to the next, one of ``ConnectionIntervals``.
    public var connectionInterval = Microseconds.milliseconds(30)
    /// Between two packets of a connection event, and between two events.
    public var frameSpaces = FrameSpaces.usual
    /// How many packets with data either end sends in one event, where its host or controller has
    /// a limit besides time.
    public var packetCountMax = Int.max
    /// The ATT_MTU, 23 to 517 (volume 3, part F, 3.2.8 and 3.2.9).
    public var attMTU = 247
    /// Bearers besides the unenhanced one. Without, values arrive in order.
    public var enhancedBearers: EnhancedBearers?
    /// How many values the central's host has at most that the peripheral has not; a command on top
    /// is lost, and who does not want that waits. BlueZ has no limit (`write_queue` of
    /// src/shared/att.c).
    public var sendQueueValueCountMax = Int.max
    /// What becomes of values that the peripheral's application does not take at once; without, it
    /// does.
    public var receiveQueue: ReceiveQueue?
    /// From the arrival of a value to what a host answers. Below a connection interval it seldom
    /// matters; without any, an answer would go in the event that brought the question.
    public var hostLatency = Microseconds.milliseconds(2)
    /// When hosts take nothing on top of that; without, they always do.
    public var hostPauses: HostPauses?
    /// The share of link-layer packets that is damaged on the air, and sent again.
    public var packetErrorRate = 0.0
    /// The share of commands and notifications that is lost above the link layer, as in a full
    /// queue.
    public var valueLoss = 0.0
    /// When nothing comes through.
    public var fades: [Fade] = []
    /// When a link is lost; without, neither end ever gives it up.
    public var supervision: Supervision?

    /// 2M, long packets, 30 ms, ATT_MTU 247, nothing lost.
    public init() {}

    /// Whether there is such an interval, a connection event has time for two of the longest
    /// packets, one from either end, and a supervision timeout is longer than two intervals
    /// (Bluetooth Core 6.2, volume 6, part B, 4.5.1 and 4.5.2). No transfer is possible without.
    ///
    /// Its section 4.5.10 asks for more of a central that chooses an interval: time for a packet of
    /// 328 µs and the peripheral's longest, which it takes for no shorter than that. With both
    /// spaces of 150 µs no interval below 1 ms would do, and none below 750 µs without any space.
    /// Controllers do less: Nordic's take 750 µs with spaces of 63 and 150. So this goes by what
    /// there is time for on the air.
    public var isPossible: Bool {
        let longest = airTime(ofData: packetByteCountMax)
        let spaces = frameSpaces.centralToPeripheral + frameSpaces.betweenEvents
        return ConnectionIntervals.contains(connectionInterval)
            && Self.packetByteCountRange.contains(packetByteCountLimit)
            && longest * 2 + spaces <= connectionInterval
            && supervision.map { $0.timeout > connectionInterval * 2 } ?? true
    }

    /// The same link with packets as long as a connection event has time for, one from either end:
    /// what two controllers come to that keep both directions alike, since the one that chooses
    /// the interval refuses one that is too short for the lengths in force (volume 6, part B,
    /// 4.5.10 and 5.1.32). `nil` where that is not possible with any length.
    public var fitted: RadioSettings? {
        Self.packetByteCountRange.reversed().lazy
            .map { byteCount in
                var fitted = self
                fitted.packetByteCountLimit = byteCount
                return fitted
            }
            .first(where: \.isPossible)
    }

    /// Whether values arrive in the order in which they were sent.
    public var isOrdered: Bool { enhancedBearers == nil }

    /// The same link with nothing that goes wrong any more.
    var healed: RadioSettings {
        var healed = self
        healed.packetErrorRate = 0
        healed.valueLoss = 0
        healed.fades = []
        return healed
    }

    /// The longest payload of a packet, of the data alone.
    var packetByteCountMax: Int {
        hasDataLengthExtension ? packetByteCountLimit : Self.packetByteCountRange.lowerBound
    }

    /// How long a packet with so much data takes.
    func airTime(ofData byteCount: Int) -> Microseconds {
        let isChecked = (isEncrypted || enhancedBearers != nil) && byteCount > 0
        let check = isChecked ? Self.integrityCheckByteCount : 0
        return phy.airTime(ofPayload: byteCount + check)
    }

    /// How long a packet takes with the empty one that answers it, and both spaces.
    func exchangeTime(ofData byteCount: Int) -> Microseconds {
        airTime(ofData: byteCount) + frameSpaces.centralToPeripheral + airTime(ofData: 0)
            + frameSpaces.peripheralToCentral
    }

    /// The packets that a value takes on the unenhanced bearer, one after the other.
    func packetByteCounts(ofValue byteCount: Int) -> [Int] {
        let whole = byteCount + Self.valueOverheadByteCount
        return stride(from: 0, to: whole, by: packetByteCountMax)
            .map { min(packetByteCountMax, whole - $0) }
    }

    /// The frames of L2CAP that carry a PDU of ATT, with their headers: one on the unenhanced
    /// bearer, as many as the PDU takes with its length on another.
    func frameByteCounts(ofPDU byteCount: Int, isEnhanced: Bool) -> [Int] {
        guard isEnhanced, let segmentMax = enhancedBearers?.segmentByteCountMax else {
            return [byteCount + Self.l2capHeaderByteCount]
        }
        let whole = byteCount + Self.lengthFieldByteCount
        return stride(from: 0, to: whole, by: segmentMax)
            .map { min(segmentMax, whole - $0) + Self.l2capHeaderByteCount }
    }

    /// How many packets a frame takes. They follow each other: those of another frame never come in
    /// between (volume 3, part A, 7.2.1).
    func packetCount(ofFrame byteCount: Int) -> Int {
        (byteCount + packetByteCountMax - 1) / packetByteCountMax
    }
}
