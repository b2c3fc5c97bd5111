public import BLEOTACore

/// A Bluetooth LE link: its negotiated parameters, the properties of its ends, and its faults.
public struct RadioSettings: Sendable, Hashable {
    /// The range of the maximum payload of packets, in bytes: from the value without the data
    /// length extension to the largest one with it (Bluetooth Core 6.2, volume 6, part B,
    /// 4.5.10).
    public static let packetByteCountRange = 27...251
    /// The length of the integrity check of an encrypted packet that is not empty (Bluetooth Core
    /// 5.4, volume 6, part B, 2.4).
    static let integrityCheckByteCount = 4
    /// The length of the opcode and the handle of a write command, a write request or a
    /// notification (volume 3, part F, 3.4.5.1, 3.4.5.3 and 3.4.7.1).
    static let attHeaderByteCount = 3
    /// The length of the L2CAP header: PDU length and channel ID (volume 3, part A, 3.1).
    static let l2capHeaderByteCount = 4
    /// The length of the length field, which is in the first frame of each value on a channel
    /// with credits (volume 3, part A, 3.4).
    static let lengthFieldByteCount = 2
    /// The number of bytes before an attribute value on the unenhanced bearer.
    static let valueOverheadByteCount = attHeaderByteCount + l2capHeaderByteCount

    /// The physical layer, the same in both directions. Default 2M.
    public var phy = PHY.le2M
    /// Whether packets have up to ``packetByteCountLimit`` bytes of payload instead of 27 (volume
    /// 6, part B, 4.5.10).
    public var hasDataLengthExtension = true
    /// The maximum payload length in bytes that both controllers have agreed on with the data
    /// length extension, in ``packetByteCountRange``. ``fitted`` finds the greatest length that
    /// fits in an event.
    public var packetByteCountLimit = packetByteCountRange.upperBound
    /// Whether packets carry an integrity check of 4 bytes. With ``enhancedBearers``, they always
    /// do (volume 3, part G, 5.3).
    public var isEncrypted = false
    /// The time from one connection event to the next, which must be one of
    /// ``ConnectionIntervals``. Default 30 ms.
    public var connectionInterval = Microseconds.milliseconds(30)
    /// The gaps between the packets of a connection event, and between events.
    public var frameSpaces = FrameSpaces.usual
    /// The largest number of data packets per event and end, if a host or controller has a limit
    /// other than time; 1 or more. Default unlimited.
    public var packetCountMax = Int.max
    /// The ATT_MTU, 23 to 517 (volume 3, part F, 3.2.8 and 3.2.9). Default 247.
    public var attMTU = 247
    /// The bearers in addition to the unenhanced one. Without them, values arrive in order.
    public var enhancedBearers: EnhancedBearers?
    /// The largest number of values that the central's host queues until the peripheral has
    /// received them. Any further write command is lost, so a sender that avoids losses must wait.
    /// BlueZ has no limit (`write_queue` of src/shared/att.c). Default unlimited.
    public var sendQueueValueCountMax = Int.max
    /// The queue of values that the peripheral's application has not read; `nil` if the
    /// application reads each value immediately.
    public var receiveQueue: ReceiveQueue?
    /// The time from the arrival of a value to the host's answer. If this time is shorter than a
    /// connection interval, it rarely matters. If it were zero, an answer would be sent in the same
    /// event as the request. Default 2 ms.
    public var hostLatency = Microseconds.milliseconds(2)
    /// The pauses of the hosts, in addition to their latency; `nil` for none.
    public var hostPauses: HostPauses?
    /// The fraction of link-layer packets that are damaged on the air and retransmitted, a number
    /// from 0 to 1. Default 0.
    public var packetErrorRate = 0.0
    /// The fraction of commands and notifications that are lost above the link layer, for example
    /// in a full queue; from 0 to 1. Default 0.
    public var valueLoss = 0.0
    /// The periods in which nothing gets through.
    public var fades: [Fade] = []
    /// The rules for the loss of a link; `nil` if neither end ever gives it up.
    public var supervision: Supervision?

    /// Creates a link with 2M, long packets, an interval of 30 ms, an ATT_MTU of 247, and no
    /// losses.
    public init() {}

    /// Whether a transfer is possible. The interval must be valid, a connection event must have
    /// time for two of the longest packets, one from each end, and a supervision timeout must be
    /// longer than two intervals (Bluetooth Core 6.2, volume 6, part B, 4.5.1 and 4.5.2).
    ///
    /// Section 4.5.10 requires more of a central that chooses an interval: time for a packet of 328
    /// µs and for the peripheral's longest packet, which counts as at least 328 µs. This
    /// requirement would exclude intervals below 1 ms with both gaps at 150 µs, and below 750 µs
    /// even without gaps. Real controllers require less: Nordic's accept 750 µs with gaps of 63 and
    /// 150 µs. Therefore, this check considers only the time on the air.
    public var isPossible: Bool {
        let longest = airTime(ofData: packetByteCountMax)
        let spaces = frameSpaces.centralToPeripheral + frameSpaces.betweenEvents
        return ConnectionIntervals.contains(connectionInterval)
            && Self.packetByteCountRange.contains(packetByteCountLimit)
            && longest * 2 + spaces <= connectionInterval
            && supervision.map { $0.timeout > connectionInterval * 2 } ?? true
    }

    /// The same link with the longest packets for which a connection event has time, one from each
    /// end. Two controllers with the same lengths in both directions arrive at this result, because
    /// the controller that chooses the interval rejects any interval that is too short for the
    /// current lengths (volume 6, part B, 4.5.10 and 5.1.32). `nil` if no length is possible.
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

    /// The same link without faults.
    var healed: RadioSettings {
        var healed = self
        healed.packetErrorRate = 0
        healed.valueLoss = 0
        healed.fades = []
        return healed
    }

    /// The maximum payload length of a packet in bytes, not counting the integrity check.
    var packetByteCountMax: Int {
        hasDataLengthExtension ? packetByteCountLimit : Self.packetByteCountRange.lowerBound
    }

    /// The airtime of a packet with this much data.
    func airTime(ofData byteCount: Int) -> Microseconds {
        let isChecked = (isEncrypted || enhancedBearers != nil) && byteCount > 0
        let check = isChecked ? Self.integrityCheckByteCount : 0
        return phy.airTime(ofPayload: byteCount + check)
    }

    /// The time for a packet, the empty packet that answers it, and both gaps.
    func exchangeTime(ofData byteCount: Int) -> Microseconds {
        airTime(ofData: byteCount) + frameSpaces.centralToPeripheral + airTime(ofData: 0)
            + frameSpaces.peripheralToCentral
    }

    /// The lengths of the packets that carry a value on the unenhanced bearer, in order.
    func packetByteCounts(ofValue byteCount: Int) -> [Int] {
        let whole = byteCount + Self.valueOverheadByteCount
        return stride(from: 0, to: whole, by: packetByteCountMax)
            .map { min(packetByteCountMax, whole - $0) }
    }

    /// The lengths of the L2CAP frames that carry an ATT PDU, including their headers. The
    /// unenhanced bearer uses one frame; an enhanced one uses as many as the PDU and its length
    /// field require.
    func frameByteCounts(ofPDU byteCount: Int, isEnhanced: Bool) -> [Int] {
        guard isEnhanced, let segmentMax = enhancedBearers?.segmentByteCountMax else {
            return [byteCount + Self.l2capHeaderByteCount]
        }
        let whole = byteCount + Self.lengthFieldByteCount
        return stride(from: 0, to: whole, by: segmentMax)
            .map { min(segmentMax, whole - $0) + Self.l2capHeaderByteCount }
    }

    /// The number of packets that a frame takes. They are consecutive: packets of other frames
    /// never come in between (volume 3, part A, 7.2.1).
    func packetCount(ofFrame byteCount: Int) -> Int {
        (byteCount + packetByteCountMax - 1) / packetByteCountMax
    }
}
