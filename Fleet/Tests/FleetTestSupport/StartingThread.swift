import Foundation
import Synchronization

/// The thread that starts all child processes. It lives as long as this process.
///
/// The system ends a child that asks for it when the thread is gone that started the child, and
/// Swift ends its own threads at any time.
enum StartingThread {
    private static let works = Mutex<[@Sendable () -> Void]>([])
    private static let ring = DispatchSemaphore(value: 0)
    private static let begin: Void = Thread.detachNewThread {
        while true {
            ring.wait()
            works.withLock { $0.removeFirst() }()
        }
    }

    /// Runs work there, and returns when it is done.
    static func run(_ work: @escaping @Sendable () -> Void) {
        begin
        let isDone = DispatchSemaphore(value: 0)
        works.withLock {
            $0.append {
                work()
                isDone.signal()
            }
        }
        ring.signal()
        isDone.wait()
    }
}
