import Synchronization

@testable import BLEOTA

/// Keeps every progress that was reported.
final class ProgressLog: Sendable {
    private let state = Mutex<[BLEOTA.TransferProgress]>([])

    func note(_ progress: BLEOTA.TransferProgress) { state.withLock { $0.append(progress) } }

    var all: [BLEOTA.TransferProgress] { state.withLock { $0 } }
}
