import BLEOTACore

/// The states of an upload.
///
/// ```text
/// opening ──▶ streaming ──▶ complete
///    ▲            │
///    └────────────┘ the device has lost the upload
/// ```
enum UploadState: ~Copyable {
    /// The first request has been sent or is due. The device may erase flash before it answers.
    case opening(Opening)
    /// The device accepts data at its offset.
    case streaming(Streaming)
    /// The device has all of the image.
    case complete

    struct Opening: ~Copyable {
        /// The request that was sent last.
        var sent: InFlightRequest?
        /// When to send the request again.
        var repeatAt: Instant
        /// How long to wait, once the request is sent again, before the next repetition. Doubles
        /// each time.
        var pause: Microseconds

        consuming func streaming(from offset: Int) -> UploadState {
            .streaming(Streaming(offset: offset))
        }

        consuming func complete() -> UploadState { .complete }
    }

    struct Streaming: ~Copyable {
        /// The offset up to which the device has the image.
        private(set) var deviceOffset: Int
        /// The offset of the next request.
        var nextOffset: Int
        var inFlight: [InFlightRequest] = []
        /// Increases when the upload returns to an earlier offset. Requests of an earlier epoch are
        /// stale: their data lies past the data that the device has lost.
        private(set) var epoch: UInt32 = 0

        fileprivate init(offset: Int) {
            deviceOffset = offset
            nextOffset = offset
        }

        /// The number of requests that the device may still hold.
        var heldCount: Int { inFlight.count { !$0.isGivenUp } }

        /// Removes the request with this sequence number, and returns it with the number of
        /// unanswered requests that were sent before it.
        mutating func take(_ sequence: UInt8) -> (request: InFlightRequest, earlierCount: Int)? {
            guard let index = inFlight.firstIndex(where: { $0.sequence == sequence }) else {
                return nil
            }
            return (inFlight.remove(at: index), index)
        }

        /// Gives up the oldest requests. A device answers in order, so unanswered requests
        /// that were sent before an answered one have been dropped.
        mutating func giveUpRequests(oldest count: Int) {
            for index in inFlight.indices.prefix(count) { inFlight[index].isGivenUp = true }
        }

        /// Gives up all requests. Late replies are still recognized, but to no more than
        /// `staleCount` requests.
        mutating func giveUpAllRequests(keeping staleCount: Int) {
            for index in inFlight.indices { inFlight[index].isGivenUp = true }
            inFlight.removeFirst(max(0, inFlight.count - staleCount))
        }

        consuming func advanced(to offset: Int) -> UploadState {
            deviceOffset = offset
            nextOffset = max(nextOffset, offset)
            return .streaming(self)
        }

        /// Continues from the device's offset.
        consuming func rewound(to offset: Int) -> UploadState {
            deviceOffset = offset
            nextOffset = offset
            epoch &+= 1
            return .streaming(self)
        }

        consuming func rewoundToDevice() -> UploadState { rewound(to: deviceOffset) }

        consuming func opening(at now: Instant) -> UploadState {
            .opening(Opening(sent: nil, repeatAt: now, pause: Uploader.openingPauseMin))
        }

        consuming func complete() -> UploadState { .complete }
    }
}

/// A request of an upload that has no reply yet.
struct InFlightRequest: Hashable, BitwiseCopyable {
    let sequence: UInt8
    let end: Int
    let epoch: UInt32
    let sentAt: Instant
    /// Whether the device is known not to hold the request.
    var isGivenUp = false
}
