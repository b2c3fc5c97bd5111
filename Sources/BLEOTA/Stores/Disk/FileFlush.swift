import Dispatch
import SystemPackage

/// Makes what was written to one file so far durable, on a queue beside that of its store, which
/// can write on meanwhile.
struct FileFlush: Sendable {
    private static let queue = DispatchQueue(label: "bleota.flush", attributes: .concurrent)

    private let call: @Sendable () -> StoreError?

    /// - Parameter call: the system call, which blocks until the disk has answered.
    init(_ call: @escaping @Sendable () -> StoreError?) {
        self.call = call
    }

    /// Waits for the disk; returns its failure.
    func run() async -> StoreError? {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: call()) }
        }
    }
}
