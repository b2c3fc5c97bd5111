/// What a device is to do for a campaign, and what has become of it.
///
///     waiting(attempt 1) ──attempt failed──▶ waiting(attempt 2) … ──last one failed──▶ failed
///            │
///            └──attempt succeeded──▶ succeeded
///
/// The end stays: an outcome that comes later, from a gateway that was late, changes nothing.
package struct Job: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// The number of the next attempt, from 1, and when it may begin.
        case waiting(attempt: UInt8, notBefore: Moment)
        case succeeded
        /// Why the last attempt failed.
        case failed(Failure)
    }

    package enum Outcome: Sendable, Hashable {
        case succeeded
        case failed
    }

    package enum Input: Sendable, Hashable {
        /// The attempt has ended.
        case succeeded
        case failed(Failure, at: Moment)
    }

    package let campaign: CampaignID
    package private(set) var state: State

    package init(for campaign: CampaignID, at now: Moment) {
        self.init(campaign, .waiting(attempt: 1, notBefore: now))
    }

    /// Takes over what was stored.
    package init(_ campaign: CampaignID, _ state: State) {
        self.campaign = campaign
        self.state = state
    }

    package mutating func handle(_ input: Input, _ retries: RetryPolicy) {
        guard case .waiting(let attempt, _) = state else { return }
        switch input {
        case .succeeded: state = .succeeded
        case .failed(let why, let now):
            if let pause = retries.pause(after: attempt) {
                state = .waiting(attempt: attempt + 1, notBefore: now + pause)
            } else {
                state = .failed(why)
            }
        }
    }

    /// The number of the attempt that may begin now; `nil` if none may.
    ///
    /// A time that is further away than the whole pause is one of another clock: this one was set
    /// back, or another controller's is ahead. Nobody waits for it.
    package func attemptDue(at now: Moment, _ retries: RetryPolicy) -> UInt8? {
        guard case .waiting(let attempt, let notBefore) = state else { return nil }
        let pause = attempt > 1 ? retries.pause(after: attempt - 1) : nil
        let isPausing = now < notBefore && notBefore <= now + (pause ?? .none)
        return isPausing ? nil : attempt
    }

    package var outcome: Outcome? {
        switch state {
        case .waiting: nil
        case .succeeded: .succeeded
        case .failed: .failed
        }
    }
}
