public import BLEOTACore

/// A transfer over a simulated radio, from the sender's first frame to the verified image. It runs
/// both real state machines in virtual time. The same values give the same result on every
/// machine.
///
/// ```swift
/// var transfer = RadioTransfer()
/// transfer.radio.connectionInterval = .milliseconds(15)
/// print(transfer.run()?.goodputBytesPerSecond ?? 0)
/// ```
public struct RadioTransfer: Sendable, Hashable {
    /// The radio link.
    public var radio = RadioSettings()
    /// The policy for the number of chunks that the sender keeps in flight.
    public var window = WindowPolicy.automatic
    /// Whether data is sent in write requests instead of write commands.
    public var isWithResponse = false
    /// The length of the image in bytes. Default 512 KiB.
    public var imageByteCount = 1 << 19
    /// The length of a block in bytes, a power of two from 256 to 65,536. Default 4 KiB.
    public var blockByteCount = 4_096
    /// The number of blocks for which the receiver has memory, 2 to 64, which limits its credit.
    /// Default 64.
    public var receiverBlockCount = 64
    /// The flash memory for the image; `nil`, the default, for a store that takes no time.
    public var flash: FlashSettings?
    /// Whether the report contains a timeline, which costs memory for each frame but changes
    /// nothing else. Default `false`.
    public var keepsTimeline = false
    /// The seed of the random losses. Default 1.
    public var seed: UInt64 = 1

    /// Creates a transfer of 512 KiB in write commands over the default radio.
    public init() {}

    /// The number of image bytes in each full frame.
    public var chunkByteCount: Int { ChunkSize(fittingFrameOf: frameByteCountMax).byteCount }

    /// The length of each full frame, in bytes.
    var frameByteCount: Int { chunkByteCount + Self.frameOverheadByteCount }

    /// The highest possible throughput of full frames over this link, in image bytes per second:
    /// the ceiling of the link, times the fraction of a frame that consists of image bytes, times
    /// the fraction of frames that are not lost.
    public var ceilingBytesPerSecond: Double {
        let values =
            isWithResponse
            ? radio.requestCeiling(ofValue: frameByteCount)
            : radio.commandCeiling(ofValue: frameByteCount) * (1 - radio.valueLoss)
        return values * Double(chunkByteCount) / Double(frameByteCount)
    }

    /// The smaller of the ceilings of the link and the flash, in bytes per second.
    public var lowerCeilingBytesPerSecond: Double {
        min(ceilingBytesPerSecond, flash?.ceilingBytesPerSecond ?? .infinity)
    }

    /// The number of connection events from one request with a full frame to the next.
    public var eventCountPerRequest: Int { radio.eventCountPerRequest(ofValue: frameByteCount) }

    /// The total length in bytes of the whole frames that two connection events can carry, but at
    /// least the length of one frame.
    public var twoEventsByteCount: Int {
        radio.valueCountPerTwoEvents(ofValue: frameByteCount) * frameByteCount
    }

    private static let frameOverheadByteCount = 4
    /// The end of the run, after an hour.
    private static let endsAt = Instant(microseconds: 3_600_000_000)

    private var frameByteCountMax: Int { min(radio.attMTU - 3, 512) }

    /// Runs the transfer.
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
