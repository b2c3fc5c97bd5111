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
        case failed(Failure)
    }

    /// Why the last attempt failed.
    package enum Failure: UInt8, Sendable, Hashable, CaseIterable {
        /// The device refused the image, or it doesn't run.
        case refused = 1
        /// The device couldn't be reached, or went away.
        case unreachable = 2
        /// The gateway failed.
        case gateway = 3
    }

    package enum Outcome: Sendable, Hashable {
        case succeeded
        case failed
    }

    package enum Input: Sendable, Hashable {
        /// An attempt, with its number, has ended. The number tells a late report from the one
        /// that is awaited.
        case succeeded(attempt: UInt8)
        case failed(attempt: UInt8, Failure, at: Moment)
    }

    package let campaign: CampaignID
    package private(set) var state: State

    package init(for campaign: CampaignID, at now: Moment) {
        self.init(campaign, .waiting(attempt: 1, notBefore: now))
    }

    init(_ campaign: CampaignID, _ state: State) {
        self.campaign = campaign
        self.state = state
    }

    package mutating func handle(_ input: Input, _ retries: RetryPolicy) {
        guard case .waiting(let awaited, _) = state else { return }
        switch input {
        case .succeeded(awaited): state = .succeeded
        case .failed(awaited, let why, let now):
            if let pause = retries.pause(after: awaited) {
                state = .waiting(attempt: awaited + 1, notBefore: now + pause)
            } else {
                state = .failed(why)
            }
        case .succeeded, .failed: break
        }
    }

    /// The number of the attempt that may begin now; `nil` if none may.
    package func attemptDue(at now: Moment) -> UInt8? {
        guard case .waiting(let attempt, let notBefore) = state, notBefore <= now else {
            return nil
        }
        return attempt
    }

    package var outcome: Outcome? {
        switch state {
        case .waiting: nil
        case .succeeded: .succeeded
        case .failed: .failed
        }
    }
}
