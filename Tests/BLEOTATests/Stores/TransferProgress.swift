import Synchronization

/// What a store has promised so far: which of its calls had returned.
final class TransferProgress: Sendable {
    struct Promise: Hashable, Sendable {
        /// Held after the process is killed.
        var writtenManifest: Set<Int> = []
        var writtenImage: Set<Int> = []
        /// Held after the power is cut.
        var durableManifest: Set<Int> = []
        var durableImage: Set<Int> = []
        /// Current, whatever happens.
        var isPublished = false
    }

    private let state = Mutex(Promise())

    var promise: Promise { state.withLock { $0 } }

    func wroteManifest(_ index: Int) {
        state.withLock { _ = $0.writtenManifest.insert(index) }
    }

    func wroteImage(_ index: Int) {
        state.withLock { _ = $0.writtenImage.insert(index) }
    }

    func synchronizedManifest() {
        state.withLock { $0.durableManifest = $0.writtenManifest }
    }

    func synchronizedImage() {
        state.withLock { $0.durableImage = $0.writtenImage }
    }

    func published() {
        state.withLock { $0.isPublished = true }
    }
}
