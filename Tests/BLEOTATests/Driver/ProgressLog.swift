import Synchronization

@testable import BLEOTA

/// Keeps every progress that was reported.
final class ProgressLog: Sendable {
    private let state = Mutex<[TransferProgress]>([])

    func note(_ progress: TransferProgress) { state.withLock { $0.append(progress) } }

    var all: [TransferProgress] { state.withLock { $0 } }
}
