import Synchronization
import SystemPackage

@testable import BLEOTA

/// Watches a store's steps: keeps a model of the disk, the state before each step, and can make one
/// step fail.
final class DiskRecorder: Sendable {
    /// The disk as it is before a step, or `nil` when all are made, and what the store had promised
    /// by then.
    struct Moment: Sendable {
        let disk: DiskModel
        let promise: TransferProgress.Promise
        let step: DiskStep?
    }

    private struct State {
        var disk: DiskModel
        var moments: [Moment] = []
        var stepCount = 0
        var failure: (stepIndex: Int, errno: Errno)?
    }

    private let state: Mutex<State>
    private let progress: TransferProgress

    init(root: FilePath, progress: TransferProgress) {
        state = Mutex(State(disk: DiskModel(root: root)))
        self.progress = progress
    }

    var hook: StepHook {
        { [self] (step) throws(Errno) in
            let promise = progress.promise
            let errno = state.withLock { state -> Errno? in
                defer { state.stepCount += 1 }
                if let failure = state.failure, failure.stepIndex == state.stepCount {
                    return failure.errno
                }
                state.moments.append(Moment(disk: state.disk, promise: promise, step: step))
                state.disk.make(step)
                return nil
            }
            if let errno { throw errno }
        }
    }

    /// Makes step `index`, counted from 0 and from the beginning, fail once.
    func fail(step index: Int, with errno: Errno) {
        state.withLock { $0.failure = (index, errno) }
    }

    func failNoMore() {
        state.withLock { $0.failure = nil }
    }

    /// The moments before each step and the one after the last.
    var moments: [Moment] {
        let promise = progress.promise
        return state.withLock {
            $0.moments + [Moment(disk: $0.disk, promise: promise, step: nil)]
        }
    }
    var stepCount: Int { state.withLock { $0.stepCount } }
    var disk: DiskModel { state.withLock { $0.disk } }
}
