public import BLEOTACore

/// A link of Bluetooth LE: what was agreed on, what its ends can do, and what goes wrong.
public struct RadioSettings: Sendable, Hashable {
    /// Between two packets of one connection event (Bluetooth Core 5.4, volume 6, part B, 4.1.1).
    static let interFrameSpace = Microseconds(150)
    /// The check of an encrypted packet that is not empty.
    static let integrityCheckByteCount = 4
    /// Before an attribute value: opcode and handle, and the header of L2CAP.
    static let valueOverheadByteCount = 3 + 4

    /// The physical layer, the same in both directions.
    public var phy = PHY.le2M
    /// Whether packets have up to 251 bytes, not 27.
    public var hasDataLengthExtension = true
    /// Whether packets carry a check of 4 bytes.
    public var isEncrypted = false
    /// From one connection event to the next, 7.5 ms to 4 s.
    public var connectionInterval = Microseconds.milliseconds(30)
    /// How many packets with data either end sends in one event, where its host or controller has
    /// a limit besides time.
    public var packetCountMax = Int.max
    /// The ATT_MTU, 23 to 517.
    public var attMTU = 247
    /// From the arrival of a value to what a host answers. Below a connection interval it seldom
    /// matters; without any, an answer would go in the event that brought the question.
    public var hostLatency = Microseconds.milliseconds(2)
    /// The share of link-layer packets that is damaged on the air, and sent again.
    public var packetErrorRate = 0.0
    /// The share of commands and notifications that is lost above the link layer, as in a full
    /// queue.
    public var valueLoss = 0.0

    /// 2M, long packets, 30 ms, ATT_MTU 247, nothing lost.
    public init() {}

    /// Whether a connection event has time for two of the longest packets, one from either end. No
    /// transfer is possible without.
    public var isPossible: Bool {
        let longest = airTime(ofData: packetByteCountMax)
        return longest + longest + Self.interFrameSpace * 2 < connectionInterval
    }

    /// The longest payload of a packet, of the data alone.
    var packetByteCountMax: Int { hasDataLengthExtension ? 251 : 27 }

    /// How long a packet with so much data takes.
    func airTime(ofData byteCount: Int) -> Microseconds {
        let check = isEncrypted && byteCount > 0 ? Self.integrityCheckByteCount : 0
        return phy.airTime(ofPayload: byteCount + check)
    }

    /// How long a packet takes with the empty one that answers it, and both spaces.
    func exchangeTime(ofData byteCount: Int) -> Microseconds {
        airTime(ofData: byteCount) + Self.interFrameSpace + airTime(ofData: 0)
            + Self.interFrameSpace
    }

    /// The packets that a value takes, one after the other.
    func packetByteCounts(ofValue byteCount: Int) -> [Int] {
        let whole = byteCount + Self.valueOverheadByteCount
        return stride(from: 0, to: whole, by: packetByteCountMax)
            .map { min(packetByteCountMax, whole - $0) }
    }

    // MARK: - What the link can carry at best

    /// How many values of this length go in one connection event.
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
