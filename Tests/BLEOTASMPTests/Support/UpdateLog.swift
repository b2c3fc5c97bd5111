import BLEOTA
import Synchronization

/// The updates of a push, apart from progress.
final class UpdateLog: Sendable {
    private let updates = Mutex<[PushUpdate]>([])

    var all: [PushUpdate] { updates.withLock { $0 } }

    @Sendable func append(_ update: PushUpdate) {
        if case .progress = update { return }
        updates.withLock { $0.append(update) }
    }
}
