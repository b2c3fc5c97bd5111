extension Packetizer {
    //= ACK-11: A sender MUST end the session with *malformed account* on an ACK of the present or a
    //= newer epoch in each of these cases: the cumulative acknowledgement is greater than the chunk
    //= count; the bitmap shows a chunk at or past the chunk count; the durable byte count is
    //= greater than the byte count of the object.
    /// Returns the cumulative acknowledgement of an ACK, or `nil` if the ACK is inconsistent
    /// with this object.
    func cumulative(of acknowledgement: Acknowledgement) -> UInt32? {
        let cumulative = acknowledgement.cumulative(chunkSize: chunkSize)
        guard cumulative <= chunkCount, acknowledgement.durableByteCount <= objectByteCount else {
            return nil
        }
        let shownEnd = acknowledgement.bitmap.endIndex
        let isShownPossible =
            shownEnd == 0 || UInt64(cumulative) + 1 + UInt64(shownEnd) <= UInt64(chunkCount)
        return isShownPossible ? cumulative : nil
    }

    //= WINDOW-1: A sender MUST keep fewer than 16,384 chunks between its cumulative acknowledgement
    //= and the highest chunk sent.
    /// Returns the edge: the first chunk that the ACK does not allow the sender to send.
    func edge(of acknowledgement: Acknowledgement, cumulative: UInt32) -> UInt32 {
        let credit =
            switch acknowledgement.credit {
            case .chunks(let count): UInt64(count)
            case .unlimited: UInt64(Credit.chunkCountMax)
            }
        return UInt32(min(UInt64(cumulative) + credit, UInt64(chunkCount)))
    }
}
