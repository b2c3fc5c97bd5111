extension SenderContext {
    /// The OPEN of the present session.
    var open: SenderControl.Open {
        .init(
            session: session,
            chunkSize: chunkSize,
            manifestByteCount: offer.manifestByteCount,
            tag: offer.tag
        )
    }

    //= END-4: A sender MUST report success only on RESULT *verified* whose detail agrees with its
    //= image.
    func outcome(of result: ReceiverControl.Result) -> SenderOutcome {
        guard result.reason == .verified else {
            return .refused(result.reason, detail: result.detail)
        }
        return result.detail == offer.receipt ? .verified : .wrongReceipt(result.detail)
    }

    /// Notes how much of the image an account calls durable.
    mutating func take(durableByteCountOf account: Acknowledgement, at now: Instant) {
        guard account.object == .image else { return }
        if resumedFromByte == nil { resumedFromByte = account.durableByteCount }
        if account.durableByteCount > durableByteCount {
            durableByteCount = account.durableByteCount
            progressed(at: now)
        }
    }
}

extension Epoch {
    /// How an account stands to what the sender knows.
    enum Relation {
        case older
        case present
        case newer
    }

    static func relation(
        of account: Acknowledgement,
        toObject object: ObjectID,
        epoch: Epoch
    ) -> Relation {
        if account.epoch == epoch { return account.object == object ? .present : .older }
        return account.epoch.isNewer(than: epoch) ? .newer : .older
    }
}
