package import BLEOTA
package import BLEOTACore

/// The state machine of a whole update over SMP, without I/O and without a clock: it asks for the
/// device's state, uploads the image, and has the device boot it.
///
/// ```text
/// parameters ─▶ inspecting ─▶ sizing ─▶ uploading ─▶ verifying ─▶ marking ─▶ resetting
///                   │                                 ▲   │                     │
///                   └─────── image already there ─────┘   ▼                     ▼
///                        finished ◀─ confirming ◀─ readingBack ◀───────── returning
/// ```
///
/// The machine outlives its links. Over each new link it begins with the parameters again, and
/// finds out from the image list what is left to do.
package struct SMPUpdate: ~Copyable {
    /// An action that the machine asks its driver to perform.
    package enum Action: Sendable, Hashable {
        /// Send this request with this sequence number.
        case request(SMPRequest, sequence: UInt8)
        /// Send this part of the image with this sequence number.
        case upload(UploadChunk, sequence: UInt8)
        /// The device restarts: close the link, and establish a new one after `pause`.
        case reconnect(after: Microseconds)
        /// Something that the user should know.
        case note(Note)
        /// The update has ended.
        case finish(Outcome)
    }

    /// Something that happened during an update.
    package enum Note: Sendable, Hashable {
        /// The image is in a slot of the device already, and needs no upload.
        case alreadyUploaded
        /// The device had begun this upload, and has this many bytes of it.
        case resumed(byteCount: Int)
        /// The device has lost the upload, for example in a restart, and the upload starts over.
        case restarted
        /// The device has all of the image, and its hash matches.
        case verified
        /// The device restarts to boot the image.
        case resetting
        /// The device was already set to boot the image permanently, so there is no trial.
        case withoutTrial
        /// The device runs the image on trial.
        case onTrial
        /// The device runs the image and keeps it.
        case confirmed
    }

    /// How an update ends if nothing fails.
    package enum Outcome: Sendable, Hashable {
        /// The device was already running the image, and keeps it.
        case alreadyRunning
        /// The device keeps the image and does not boot it by itself.
        case stored
        /// The device runs the image on trial.
        case onTrial
        /// The device runs the image and keeps it.
        case confirmed
    }

    /// The work of an update, and its limits.
    package struct Plan: Sendable, Hashable {
        package let announcement: UploadChunk.Announcement
        /// The hash in the TLVs of the image, by which the device names it.
        package let imageHash: [UInt8]
        package let activation: UpdateOptions.Activation
        /// Whether to overwrite an image that is on trial or about to go on trial.
        package let isForced: Bool
        /// Whether to wait until the device itself confirms the image.
        package let awaitsConfirmation: Bool
        package let silenceLimit: Microseconds
        package let progressLimit: Microseconds
        /// How long the device may take to restart and run the image.
        package let restartLimit: Microseconds

        package init(
            _ announcement: UploadChunk.Announcement,
            imageHash: [UInt8],
            activation: UpdateOptions.Activation,
            isForced: Bool,
            awaitsConfirmation: Bool,
            silenceLimit: Microseconds,
            progressLimit: Microseconds,
            restartLimit: Microseconds
        ) {
            self.announcement = announcement
            self.imageHash = imageHash
            self.activation = activation
            self.isForced = isForced
            self.awaitsConfirmation = awaitsConfirmation
            self.silenceLimit = silenceLimit
            self.progressLimit = progressLimit
            self.restartLimit = restartLimit
        }
    }

    /// How long to wait before the first attempt to reach a device that restarts.
    static let restartPause = Microseconds.seconds(1)
    /// The pause between two requests that ask whether the device has confirmed the image.
    static let questionPause = Microseconds.seconds(1)

    private var context: UpdateContext
    private var phase = UpdatePhase.unlinked

    package init(_ plan: Plan) { context = UpdateContext(plan) }

    /// The offset up to which the device has the image; `nil` unless an upload is in progress.
    package var deviceOffset: Int? { phase.deviceOffset }

    /// The length of the image in bytes.
    package var totalByteCount: Int { context.plan.announcement.imageByteCount }

    /// Whether the device has been asked to restart, so the loss of its link is expected.
    package var isRestarting: Bool { context.restartedAt != nil }

    /// Counters of the upload over all links.
    package var counters: UploadCounters { phase.counters(adding: context.counters) }

    /// Handles a new link.
    ///
    /// - Parameter link: the limits of the link.
    package mutating func linkUp(_ link: LinkLimits, at now: Instant) {
        context.link = link
        context.limits = link.limits(of: nil)
        phase.linkUp(context: &context, at: now)
    }

    /// Handles the end of the link.
    package mutating func linkDown(at now: Instant) {
        context.exchange.forget()
        phase.linkDown(context: &context, at: now)
    }

    /// Handles a message. A message that answers no request of this machine is ignored.
    package mutating func received(_ packet: [UInt8], at now: Instant) throws(SMPFailure) {
        guard let reply = SMPReply(packet) else { return }
        try phase.received(reply, context: &context, at: now)
    }

    /// The next action, or `nil` if there is none before ``deadline`` or the next input.
    package mutating func next(at now: Instant) throws(SMPFailure) -> Action? {
        if !context.notes.isEmpty { return .note(context.notes.removeFirst()) }
        if let (request, sequence) = context.exchange.takeDue(at: now) {
            return .request(request, sequence: sequence)
        }
        return try phase.next(context: &context, at: now)
    }

    /// When ``expire(at:)`` is due, if nothing arrives before then.
    package var deadline: Instant? { phase.deadline(context) }

    /// Handles the passing of time.
    package mutating func expire(at now: Instant) throws(SMPFailure) {
        try phase.expire(context: &context, at: now)
    }
}

/// Counters of an upload.
package struct UploadCounters: Sendable, Hashable {
    /// The number of upload requests.
    package var requestCount = 0
    /// The number of upload requests whose data had been sent before.
    package var repeatCount = 0
    /// The offset at which the first link's upload began; `nil` before that.
    package var resumedFromByte: Int?
    /// The furthest offset that the device has reported.
    package var furthestOffset = 0
    /// The end of the furthest data that has been sent.
    package var furthestSent = 0
    /// The number of data bytes of the longest request.
    package var chunkByteCount = 0
    /// The number of data bytes sent.
    package var dataByteCount = 0
}
