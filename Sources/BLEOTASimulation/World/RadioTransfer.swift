public import BLEOTACore

/// One transfer over a modelled radio, from the sender's first frame to the verified image: both
/// real machines, in virtual time. The same values give the same result on every machine.
///
/// ```swift
/// var transfer = RadioTransfer()
/// transfer.radio.connectionInterval = .milliseconds(15)
/// print(transfer.run()?.goodputBytesPerSecond ?? 0)
/// ```
public struct RadioTransfer: Sendable, Hashable {
    /// The link.
    public var radio = RadioSettings()
    /// How many chunks the sender keeps in flight.
    public var window = WindowPolicy.automatic
    /// Whether data goes in write requests; in write commands otherwise.
    public var isWithResponse = false
    /// How long the image is.
    public var imageByteCount = 1 << 19
    /// The length of a block, a power of two from 256 to 65,536. Default 4 KiB.
    public var blockByteCount = 4_096
    /// How many blocks the receiver has memory for, 2 to 64; it gives credit for no more.
    public var receiverBlockCount = 64
    /// The flash that the image goes to. `nil`, the default, for a store that takes no time.
    public var flash: FlashSettings?
    /// Whether the report has a timeline. It costs memory for each frame, and changes nothing else.
    public var keepsTimeline = false
    /// What the losses are drawn from.
    public var seed: UInt64 = 1

    /// 512 KiB by write commands over the default radio.
    public init() {}

    /// The bytes of image in each frame.
    public var chunkByteCount: Int { ChunkSize(fittingFrameOf: frameByteCountMax).byteCount }

    /// The bytes of each frame with such a chunk.
    var frameByteCount: Int { chunkByteCount + Self.frameOverheadByteCount }

    /// The most that frames with such chunks can carry of the image over this link, in bytes a
    /// second: the ceiling of the link, times the share of a frame that is image, times the share
    /// that is not lost.
    public var ceilingBytesPerSecond: Double {
        let values =
            isWithResponse
            ? radio.requestCeiling(ofValue: frameByteCount)
            : radio.commandCeiling(ofValue: frameByteCount) * (1 - radio.valueLoss)
        return values * Double(chunkByteCount) / Double(frameByteCount)
    }

    /// The smaller of the ceilings of link and flash.
    public var lowerCeilingBytesPerSecond: Double {
        min(ceilingBytesPerSecond, flash?.ceilingBytesPerSecond ?? .infinity)
    }

    /// How many connection events a request with such a frame takes until the next can go.
    public var eventCountPerRequest: Int { radio.eventCountPerRequest(ofValue: frameByteCount) }

    /// What two connection events can send, in bytes of frames: of whole ones, and of one at least.
    public var twoEventsByteCount: Int {
        radio.valueCountPerTwoEvents(ofValue: frameByteCount) * frameByteCount
    }

    private static let frameOverheadByteCount = 4
    /// An hour after the beginning.
    private static let endsAt = Instant(microseconds: 3_600_000_000)

    private var frameByteCountMax: Int { min(radio.attMTU - 3, 512) }

    /// Runs it.
    ///
    /// - Returns: `nil` if the image was not verified within an hour.
    public func run() -> RadioTransferReport? {
        var scenario = Scenario(seed: seed)
        scenario.imageByteCount = imageByteCount
        scenario.blockByteCount = blockByteCount
        scenario.slotCount = receiverBlockCount
        scenario.frameByteCountMax = frameByteCountMax
        scenario.window = window
        scenario.radio = radio
        scenario.store.flash = flash
        if flash != nil { scenario.store.manifestBlockByteCount = blockByteCount }
        scenario.claimsOrder = radio.isOrdered
        scenario.isWithResponse = isWithResponse
        scenario.healsAt = Self.endsAt
        let pair = Pair(scenario)
        pair.timeline = keepsTimeline ? [] : nil
        pair.run()
        guard pair.failure == nil, let verifiedAt = pair.verifiedAt, verifiedAt <= Self.endsAt,
            let imageBeganAt = pair.imageBeganAt,
            let imageAcknowledgedAt = pair.imageAcknowledgedAt,
            let imageStoredAt = pair.imageStoredAt
        else { return nil }
        return RadioTransferReport(
            duration: verifiedAt - Instant(microseconds: 0),
            imageDuration: imageAcknowledgedAt - imageBeganAt,
            storingDuration: imageStoredAt - imageBeganAt,
            imageByteCount: imageByteCount,
            dataFrameCount: pair.traffic.dataFrameCount,
            acknowledgementCount: pair.acknowledgementCount,
            framesWithoutRoom: pair.framesWithoutRoom,
            hostQueueByteCountMax: pair.hostQueueByteCountMax,
            linkLossCount: pair.linkLossCount,
            timeline: pair.timeline ?? []
        )
    }
}
