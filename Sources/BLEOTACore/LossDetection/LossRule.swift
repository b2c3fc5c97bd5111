/// When a chunk counts as lost because others overtook it ([REPAIR-1]).
struct LossRule: BitwiseCopyable {
    /// What was sent before any transmission that is acknowledged.
    static var ordered: LossRule { LossRule(threshold: 1, reach: 0) }

    /// So many later transmissions are acknowledged, 1 to 3.
    let threshold: Int
    /// The latest of these was sent at least so many transmissions later, but for what was sent
    /// before a long silence.
    let reach: UInt32
}

extension SendWindow {
    /// The rule for the link of a sender.
    ///
    /// - Parameter credit: the chunks from the cumulative acknowledgement to the edge.
    func lossRule(_ context: borrowing SenderContext, credit: Int) -> LossRule {
        guard !context.keepsOrder else { return .ordered }
        let frameByteCount = max(context.frameByteCountMax, 18)
        let shownCount = Acknowledgement.chunkCountShown(inFrameOf: frameByteCount)
        return unorderedRule(withCredit: credit, shownCount: shownCount)
    }

    //= REPAIR-8: Where the link does not keep order, the reach SHOULD be three windows of
    //= transmissions, but no more than half of the chunks from the cumulative acknowledgement to
    //= the edge, no more than half of those that an ACK can show on this link, and 0 in bursts and
    //= for what was sent before a probe timeout of more than 500 ms.
    func unorderedRule(withCredit credit: Int, shownCount: Int) -> LossRule {
        // More would come to the end of the credit or of a bitmap before the loss is known.
        let reach = min(3 * chunkCount, credit / 2, shownCount / 2)
        return LossRule(threshold: 3, reach: UInt32(reach))
    }
}
