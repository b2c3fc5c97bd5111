package import BLEOTACore

/// The state machine that uploads an image to a device, without I/O and without a clock.
///
/// Several requests may be in flight. The offset in each reply is authoritative: the upload
/// continues from wherever the device is. The SHA-256 in the first request lets the device
/// recognize an upload that it has begun, over any link and from any host.
///
/// ```swift
/// while let chunk = uploader.nextChunk(sequence: next, at: now) { send(chunk) }
/// switch uploader.replied(to: sequence, offset: offset, at: now) { … }
/// ```
package struct Uploader: ~Copyable {
    /// How long the first reply may take. Some devices erase their whole slot before they answer:
    /// an nRF52840 takes 4.4 s for its 52 pages, and external flash far longer.
    package static let openingLimit = Microseconds.seconds(60)
    /// A first request is sent again after this time, in case it was lost. The time doubles with
    /// each repetition. A device that has begun the upload answers the request with its offset.
    static let openingPauseMin = Microseconds.seconds(2)
    static let openingPauseMax = Microseconds.seconds(10)
    /// The number of times in a row that a device may lose the upload before the upload fails.
    static let restartCountMax = 5

    /// The effect of a reply on the upload.
    package enum Event: Sendable, Hashable {
        /// The device has more of the image than before.
        case progressed
        /// The device had begun this upload before, and has this many bytes of it.
        case resumed(byteCount: Int)
        /// The device has lost the upload, which starts over.
        case restarted
        /// The device has no upload open, although all of the image has been sent. It has lost the
        /// upload, or its reply to the last request was lost.
        case ended
        /// The device has all of the image.
        case completed
        /// Nothing has changed.
        case ignored
    }

    /// The reason an upload can't continue.
    package enum Failure: Error, Sendable, Hashable {
        /// The device reported an offset that it can't have.
        case impossibleOffset(Int)
        /// The device has lost the upload too often in a row.
        case restartsTooOften
        /// The device sent no reply for too long.
        case silent
        /// The device replied, but accepted no data for too long.
        case stalled
        /// The device's buffers are too small for a request.
        case bufferTooShort
    }

    private var context: UploadContext
    private var state: UploadState

    /// - Parameters:
    ///   - silenceLimit: the longest time without a reply, not counting the time that the device
    ///     takes to erase.
    ///   - progressLimit: the longest time in which the device replies but accepts no data.
    ///   - isReliable: whether the link loses nothing.
    ///   - offsetBefore: the furthest offset that the device has reported over an earlier link.
    ///   - sentBefore: the end of the data that was sent over an earlier link.
    package init(
        _ announcement: UploadChunk.Announcement,
        limits: BufferLimits,
        silenceLimit: Microseconds,
        progressLimit: Microseconds,
        isReliable: Bool = true,
        after offsetBefore: Int = 0,
        sentBefore: Int = 0,
        at now: Instant
    ) {
        context = UploadContext(
            announcement,
            limits: limits,
            silenceLimit: silenceLimit,
            progressLimit: progressLimit,
            isReliable: isReliable,
            after: offsetBefore,
            sentBefore: sentBefore,
            at: now
        )
        state = .opening(
            UploadState.Opening(sent: nil, repeatAt: now, pause: Self.openingPauseMin)
        )
    }

    /// The offset up to which the device has the image.
    package var deviceOffset: Int { state.deviceOffset(context) }

    /// The furthest offset that the device has ever reported.
    package var furthestOffset: Int { context.furthestOffset }

    /// The number of requests that the device may still hold.
    package var inFlightCount: Int { state.inFlightCount }

    /// The end of the furthest data that has been sent.
    package var furthestSent: Int { context.furthestSent }

    /// The number of requests so far.
    package var requestCount: Int { context.requestCount }

    /// The number of requests whose data had been sent before.
    package var repeatCount: Int { context.repeatCount }

    /// The next request to send, or `nil` if none is due.
    ///
    /// - Parameter sequence: the sequence number that the request gets.
    package mutating func nextChunk(
        sequence: UInt8,
        at now: Instant
    ) throws(Failure) -> UploadChunk? {
        try state.nextChunk(sequence: sequence, context: &context, at: now)
    }

    /// When ``expire(at:)`` is due; `nil` once the device has all of the image.
    package var deadline: Instant? { state.deadline(context) }

    /// Handles a reply with the offset that the device expects next.
    ///
    /// - Parameters:
    ///   - sequence: the sequence number of the request.
    ///   - offset: any number; an impossible one is an error of the device.
    package mutating func replied(
        to sequence: UInt8,
        offset: Int,
        at now: Instant
    ) throws(Failure) -> Event {
        guard (0...context.announcement.imageByteCount).contains(offset) else {
            throw .impossibleOffset(offset)
        }
        return try state.replied(to: sequence, offset: offset, context: &context, at: now)
    }

    /// Handles a reply which states that the device had no room for a request and has not processed
    /// it.
    package mutating func postponed(_ sequence: UInt8, at now: Instant) {
        state.postponed(sequence, context: &context, at: now)
    }

    /// Handles the passing of time: requests without a reply count as lost.
    package mutating func expire(at now: Instant) throws(Failure) {
        try state.expire(context: &context, at: now)
    }
}
