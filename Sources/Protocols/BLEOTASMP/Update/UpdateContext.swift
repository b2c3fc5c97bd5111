import BLEOTACore

/// The data that an update keeps in every phase.
struct UpdateContext {
    let plan: SMPUpdate.Plan
    var notes: [SMPUpdate.Note] = []
    var exchange = SMPExchange()
    /// The limits of the link.
    var link = LinkLimits(
        unstated: BufferLimits(packetByteCountMax: 1, requestCountMax: 1),
        isReliable: true
    )
    /// The limits of the device over the link.
    var limits = BufferLimits(packetByteCountMax: 1, requestCountMax: 1)
    /// When the device began to restart; `nil` before that.
    var restartedAt: Instant?
    /// Whether the user has been told that the device runs the image on trial.
    var hasToldOfTrial = false
    var counters = UploadCounters()

    init(_ plan: SMPUpdate.Plan) { self.plan = plan }

    /// Sends a request, whose reply the phase awaits.
    mutating func ask(
        _ request: SMPRequest,
        _ phase: consuming UpdatePhase,
        at now: Instant
    ) -> UpdatePhase {
        exchange.ask(request, at: now)
        return phase
    }

    mutating func finished(
        _ outcome: SMPUpdate.Outcome,
        noting note: SMPUpdate.Note? = nil
    ) -> UpdatePhase {
        if let note { notes.append(note) }
        return .finished(outcome, isReported: false)
    }

    mutating func add(_ uploader: borrowing Uploader) { counters.add(uploader) }

    mutating func noteSent(_ chunk: UploadChunk) {
        counters.dataByteCount += chunk.byteCount
        counters.chunkByteCount = max(counters.chunkByteCount, chunk.byteCount)
    }
}

extension UploadCounters {
    mutating func add(_ uploader: borrowing Uploader) {
        requestCount += uploader.requestCount
        repeatCount += uploader.repeatCount
        furthestOffset = max(furthestOffset, uploader.furthestOffset)
        furthestSent = max(furthestSent, uploader.furthestSent)
    }
}
