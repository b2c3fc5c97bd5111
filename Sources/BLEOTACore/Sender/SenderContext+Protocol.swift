extension SenderContext {
    /// Returns OPEN for the current session.
    mutating func open() -> SenderTransmission {
        openTiming = openTiming == .unsent ? .sent(now) : .unknown
        awaitsAnswer()
        return .control(
            .open(
                .init(
                    session: session,
                    chunkSize: chunkSize,
                    manifestByteCount: transfer.manifestByteCount,
                    tag: transfer.tag
                )
            )
        )
    }

    mutating func openAnswered() {
        if case .sent(let moment) = openTiming { baseRoundTrip.opened(after: now - moment) }
        openTiming = .unknown
    }

    /// Notes that the receiver is looking up the transfer or waiting for its store. Either may take
    /// seconds.
    mutating func receiverIsBusy() {
        openTiming = .unknown
        progress.isBusyNow()
    }

    /// Begins another session.
    mutating func reopen(chunkSize: ChunkSize) {
        session = session.next
        self.chunkSize = chunkSize
        openTiming = .unsent
        statistics.reopenings += 1
    }

    mutating func poll(
        _ object: ObjectID,
        _ epoch: Epoch
    ) -> SenderTransmission {
        awaitsAnswer()
        return .control(.poll(.init(session: session, object: object, epoch: epoch)))
    }

    /// Records that the link carries frames of the length in an echo reply. Returns the length,
    /// or `nil` if no probe had that length.
    mutating func record(_ reply: ReceiverControl.EchoReply) -> Int? {
        let byteCount = Int(reply.byteCount)
        guard reply.token == reply.byteCount, (16...frameByteCountMax).contains(byteCount) else {
            return nil
        }
        largestEchoByteCount = max(largestEchoByteCount ?? 0, byteCount)
        if byteCount >= chunkSize.frameByteCount { isChunkSizeProven = true }
        return byteCount
    }

    /// Returns the window for a receiver that grants this credit.
    func window(for credit: Credit) -> SendWindow {
        SendWindow(
            options.window(for: credit),
            baseRoundTrip: baseRoundTrip,
            frameByteCount: chunkSize.frameByteCount
        )
    }

    //= END-4: A sender MUST NOT report success unless it has received RESULT *verified* with the
    //= receipt of its image.
    func outcome(of result: ReceiverControl.Result) -> SenderOutcome {
        guard result.reason == .verified else {
            return .refused(result.reason, detail: result.detail)
        }
        return result.detail == transfer.digestPrefix ? .verified : .wrongDigest(result.detail)
    }

    /// Records the acknowledged and durable positions in an ACK.
    ///
    /// - Parameter cumulative: the untruncated cumulative acknowledgement.
    mutating func record(_ acknowledgement: Acknowledgement, cumulative: UInt32) {
        // The last chunk may be shorter. The position in bytes must be exact, because the next
        // session may use another chunk size.
        let acknowledged = min(
            UInt64(cumulative) * UInt64(chunkSize.byteCount),
            UInt64(transfer.byteCount(of: acknowledgement.object))
        )
        progress.reached(
            acknowledged: .init(object: acknowledgement.object, byteCount: acknowledged),
            durable: .init(
                object: acknowledgement.object,
                byteCount: UInt64(acknowledgement.durableByteCount)
            ),
            at: now
        )
        guard acknowledgement.object == .image else { return }
        if resumedFromByte == nil { resumedFromByte = acknowledgement.durableByteCount }
        durableByteCount = max(durableByteCount, acknowledgement.durableByteCount)
    }
}

extension Epoch {
    /// The relation between the epoch of an ACK and the one that the sender has adopted.
    enum Relation {
        case older
        case present
        case newer
    }
}

extension Acknowledgement {
    func relation(to object: ObjectID, _ epoch: Epoch) -> Epoch.Relation {
        if self.epoch == epoch { return self.object == object ? .present : .older }
        return self.epoch.isNewer(than: epoch) ? .newer : .older
    }
}
