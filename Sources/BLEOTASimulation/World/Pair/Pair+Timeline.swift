import BLEOTACore

extension Pair {
    /// Records that the sender sends a chunk.
    func noteSending(_ chunk: SenderTransmission.Chunk?) {
        note(chunk?.isRepeated == true ? .sentAgain : .sent, chunk)
    }

    /// Records that a chunk has arrived at the receiver.
    func noteArrival(_ chunk: SenderTransmission.Chunk?) { note(.arrived, chunk) }

    /// Records that the sender has received a control frame.
    func noteAcknowledgement(_ datagram: [UInt8]) {
        guard timeline != nil, let sender,
            case .acknowledgement(let acknowledgement)? = try? ReceiverControl(
                decoding: datagram.span.bytes,
                session: sender.machine.session
            ),
            acknowledgement.object == .image, let reported = sender.imageAcknowledgement
        else { return }
        let chunkByteCount = UInt64(sender.machine.chunkSize.byteCount)
        let imageEnd = UInt64(scenario.imageByteCount)
        // With unlimited credit, the edge is `UInt64.max`, and its product would overflow.
        let edge = min(reported.edge, imageEnd)
        note(.acknowledged, at: min(UInt64(reported.cumulative) * chunkByteCount, imageEnd))
        note(.granted, at: min(edge * chunkByteCount, imageEnd))
        note(.durable, at: UInt64(acknowledgement.durableByteCount))
    }

    private func note(_ kind: TimelinePoint.Kind, _ chunk: SenderTransmission.Chunk?) {
        guard timeline != nil, let chunk, chunk.object == .image else { return }
        note(kind, at: UInt64(chunk.byteRange.lowerBound))
    }

    private func note(_ kind: TimelinePoint.Kind, at byteOffset: UInt64) {
        let moment = now - Instant(microseconds: 0)
        timeline?.append(TimelinePoint(moment: moment, kind: kind, byteOffset: Int(byteOffset)))
    }
}
