import Dispatch
import SystemPackage

/// Makes the bytes written to a file so far durable. The flush runs on a different queue from the
/// store's, so the store can continue to write.
struct FileFlush: Sendable {
    private static let queue = DispatchQueue(label: "bleota.flush", attributes: .concurrent)

    private let call: @Sendable () -> StoreError?

    /// - Parameter call: the system call, which blocks until the disk has finished.
    init(_ call: @escaping @Sendable () -> StoreError?) {
        self.call = call
    }

    /// Performs the call, waits for the disk, and returns the failure, if any.
    func run() async -> StoreError? {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: call()) }
        }
    }
}
