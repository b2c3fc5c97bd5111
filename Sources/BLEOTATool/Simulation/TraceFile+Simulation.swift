import BLEOTA
import BLEOTACore
import BLEOTASimulation

extension TraceFile {
    /// Writes an event of a simulated transfer: frames as on the sender's link, and all else as
    /// comments.
    func write(_ entry: SimulatedTraceEntry) {
        switch entry.event {
        case .sendsControl(let bytes): write(.out, .control, bytes, at: entry.moment)
        case .sendsData(let bytes): write(.out, .data, bytes, at: entry.moment)
        case .getsControl(let bytes): write(.in, .control, bytes, at: entry.moment)
        case .note(let text): write(comment: "\(entry.moment.microseconds) \(text)")
        }
    }

    private func write(
        _ direction: TraceRecord.Direction,
        _ channel: Datagram.Channel,
        _ bytes: [UInt8],
        at moment: Instant
    ) {
        // A record needs at least one byte, but a truncated frame may have none.
        guard !bytes.isEmpty else {
            return write(comment: "\(moment.microseconds) an empty value arrives")
        }
        write(
            TraceRecord(
                offset: .microseconds(moment.microseconds),
                direction: direction,
                channel: channel,
                bytes: bytes
            )
        )
    }
}
