/// What a device is to do for a campaign, and what has become of it.
///
///     waiting(attempt 1) ──attempt failed──▶ waiting(attempt 2) … ──last one failed──▶ failed
///            │       └──the device rejects the image──────────────────────────────────────▲
///            └──attempt succeeded──▶ succeeded
///
/// The end stays: an outcome that comes later, from a gateway that was late, changes nothing.
package struct Job: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// The number of the next attempt, from 1, when it may begin, and why the one before
        /// failed.
        case waiting(attempt: UInt8, notBefore: Moment, after: Failure? = nil)
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
    /// Whether the device has signed that the job succeeded.
    package private(set) var isSigned = false

    package init(for campaign: CampaignID, at now: Moment) {
        self.init(campaign, .waiting(attempt: 1, notBefore: now))
    }

    /// Takes over what was stored.
    package init(_ campaign: CampaignID, _ state: State, isSigned: Bool = false) {
        self.campaign = campaign
        self.state = state
        self.isSigned = isSigned
    }

    /// The last attempt succeeded, and the device has signed that.
    package mutating func succeedSigned(_ retries: RetryPolicy) {
        handle(.succeeded, retries)
        isSigned = state == .succeeded
    }

    package mutating func handle(_ input: Input, _ retries: RetryPolicy) {
        guard case .waiting(let attempt, _, _) = state else { return }
        switch input {
        case .succeeded: state = .succeeded
        case .failed(let why, let now):
            if !why.kind.isFinal, let pause = retries.pause(after: attempt) {
                state = .waiting(attempt: attempt + 1, notBefore: now + pause, after: why)
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
        guard case .waiting(let attempt, let notBefore, _) = state else { return nil }
        let pause = attempt > 1 ? retries.pause(after: attempt - 1) : nil
        let isPausing = now < notBefore && notBefore <= now + (pause ?? .none)
        return isPausing ? nil : attempt
    }

    /// Why the last attempt that has ended failed; `nil` if none has, or if it succeeded.
    package var lastFailure: Failure? {
        switch state {
        case .waiting(_, _, let why): why
        case .succeeded: nil
        case .failed(let why): why
        }
    }

    package var outcome: Outcome? {
        switch state {
        case .waiting: nil
        case .succeeded: .succeeded
        case .failed: .failed
        }
    }
}
