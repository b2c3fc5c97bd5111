public import BLEOTACore

/// A link of Bluetooth LE: what was agreed on, what its ends can do, and what goes wrong.
public struct RadioSettings: Sendable, Hashable {
    /// Between two packets of one connection event (Bluetooth Core 5.4, volume 6, part B, 4.1.1).
    static let interFrameSpace = Microseconds(150)
    /// The check of an encrypted packet that is not empty (volume 6, part B, 2.4).
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
    /// Whether packets have up to 251 bytes, not 27 (volume 6, part B, 4.5.10).
    public var hasDataLengthExtension = true
    /// Whether packets carry a check of 4 bytes; with ``enhancedBearers`` they always do (volume 3,
    /// part G, 5.3).
    public var isEncrypted = false
    /// From one connection event to the next, 7.5 ms to 4 s (volume 6, part B, 4.5.1).
    public var connectionInterval = Microseconds.milliseconds(30)
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

    /// Whether a connection event has time for two of the longest packets, one from either end, and
    /// a supervision timeout is longer than two intervals (Bluetooth Core 5.4, volume 6, part B,
    /// 4.5.2). No transfer is possible without.
    public var isPossible: Bool {
        let longest = airTime(ofData: packetByteCountMax)
        let hasTime = longest + longest + Self.interFrameSpace * 2 < connectionInterval
        return hasTime && supervision.map { $0.timeout > connectionInterval * 2 } ?? true
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
    var packetByteCountMax: Int { hasDataLengthExtension ? 251 : 27 }

    /// How long a packet with so much data takes.
    func airTime(ofData byteCount: Int) -> Microseconds {
        let isChecked = (isEncrypted || enhancedBearers != nil) && byteCount > 0
        let check = isChecked ? Self.integrityCheckByteCount : 0
        return phy.airTime(ofPayload: byteCount + check)
    }

    /// How long a packet takes with the empty one that answers it, and both spaces.
    func exchangeTime(ofData byteCount: Int) -> Microseconds {
        airTime(ofData: byteCount) + Self.interFrameSpace + airTime(ofData: 0)
            + Self.interFrameSpace
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

    // MARK: - What the link can carry at best

    /// How many values of this length go in one connection event, on the unenhanced bearer; on
    /// others it is at most as many.
    public func valueCountPerEvent(ofValue byteCount: Int) -> Int {
        let packets = packetByteCounts(ofValue: byteCount)
        let time = packets.reduce(Int64(0)) { $0 + exchangeTime(ofData: $1).rawValue }
        let room = (connectionInterval - Self.interFrameSpace).rawValue
        return min(Int(room / time), packetCountMax / packets.count)
    }

    /// The ceiling of commands of this length, in bytes of values a second: v·n/CI.
    public func commandCeiling(ofValue byteCount: Int) -> Double {
        Double(byteCount * valueCountPerEvent(ofValue: byteCount)) * 1e6
            / Double(connectionInterval.rawValue)
    }

    /// The same of requests, one at a time: v/(2·CI), since the request goes in one event and its
    /// answer in the next.
    public func requestCeiling(ofValue byteCount: Int) -> Double {
        Double(byteCount) * 1e6 / Double(2 * connectionInterval.rawValue)
    }
}
