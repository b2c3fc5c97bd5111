/// What a device does, in a word.
package enum DeviceState: String, CaseIterable, Sendable {
    /// It never had a job.
    case idle
    /// It has a job, and waits for a gateway or for its next attempt.
    case waiting
    /// A gateway has it.
    case updating
    case updated
    case failed

    package init(_ device: DeviceRecord) {
        if device.lease != nil {
            self = .updating
        } else {
            self =
                switch device.job?.state {
                case nil: .idle
                case .waiting: .waiting
                case .succeeded: .updated
                case .failed: .failed
                }
        }
    }
}
