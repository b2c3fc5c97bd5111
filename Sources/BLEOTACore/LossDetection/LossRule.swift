/// The rule by which an overtaken chunk counts as lost ([REPAIR-1]).
struct LossRule: BitwiseCopyable {
    /// The rule for a link that keeps order: one later transmission is enough.
    static var ordered: LossRule { LossRule(threshold: 1, reach: 0) }

    /// The number of later transmissions that must be acknowledged, 1 to 3.
    let threshold: Int
    /// The minimum distance from the chunk to the latest of these, in transmissions. It does
    /// not apply to chunks that were sent before a long silence.
    let reach: UInt32
}

extension SendWindow {
    /// Returns the loss rule for the sender's link.
    ///
    /// - Parameter credit: the number of chunks from the cumulative acknowledgement to the
    ///   edge.
    func lossRule(_ context: borrowing SenderContext, credit: Int) -> LossRule {
        guard !context.keepsOrder else { return .ordered }
        let frameByteCount = max(context.frameByteCountMax, 18)
        let shownCount = Acknowledgement.chunkCountShown(inFrameOf: frameByteCount)
        return unorderedRule(withCredit: credit, shownCount: shownCount)
    }

    //= REPAIR-8: If the link does not keep order, the reach SHOULD be three windows of
    //= transmissions. It SHOULD be no more than half the number of chunks from the cumulative
    //= acknowledgement to the edge, and no more than half the number of chunks that an ACK can show
    //= on this link. It SHOULD be 0 in bursts, and for chunks that were sent before a probe timeout
    //= of more than 500 ms.
    func unorderedRule(withCredit credit: Int, shownCount: Int) -> LossRule {
        // With a longer reach, the credit or the bitmap would run out before the loss is
        // detected.
        let reach = min(3 * chunkCount, credit / 2, shownCount / 2)
        return LossRule(threshold: 3, reach: UInt32(reach))
    }
}
