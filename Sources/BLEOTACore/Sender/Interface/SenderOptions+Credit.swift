extension SenderOptions {
    //= CREDIT-4: A credit of 65,535 is unlimited: the receiver does not control the pace of the
    //= sender. The sender MUST then send in bursts with a timed pause (section 6.2), and keep fewer
    //= than 16,384 chunks between the cumulative acknowledgement and the highest chunk sent.
    /// Returns the window policy to use with a receiver that grants this credit.
    func window(for credit: Credit) -> WindowPolicy {
        guard credit == .unlimited else { return window }
        switch window {
        case .burst(_, .time): return window
        case .burst(let chunkCount, .untilAcknowledged):
            return .burst(chunkCount: chunkCount, pause: .time(.milliseconds(100)))
        case .automatic, .fixed: return .fieldRule
        }
    }
}
