extension SenderContext {
    /// The OPEN of the present session.
    var open: SenderControl.Open {
        .init(
            session: session,
            chunkSize: chunkSize,
            manifestByteCount: transfer.manifestByteCount,
            tag: transfer.tag
        )
    }

    //= END-4: A sender MUST report success only on RESULT *verified* whose detail agrees with its
    //= image.
    func outcome(of result: ReceiverControl.Result) -> SenderOutcome {
        guard result.reason == .verified else {
            return .refused(result.reason, detail: result.detail)
        }
        return result.detail == transfer.digestPrefix ? .verified : .wrongDigest(result.detail)
    }

    /// Records how much of its object an ACK calls acknowledged and durable.
    ///
    /// - Parameter cumulative: its cumulative acknowledgement, in full.
    mutating func record(_ acknowledgement: Acknowledgement, cumulative: UInt32, at now: Instant) {
        // The last chunk is shorter, as the size of the chunks may be in the next session.
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
    /// How an ACK stands to what the sender knows.
    enum Relation {
        case older
        case present
        case newer
    }

    static func relation(
        of acknowledgement: Acknowledgement,
        toObject object: ObjectID,
        epoch: Epoch
    ) -> Relation {
        if acknowledgement.epoch == epoch {
            return acknowledgement.object == object ? .present : .older
        }
        return acknowledgement.epoch.isNewer(than: epoch) ? .newer : .older
    }
}
