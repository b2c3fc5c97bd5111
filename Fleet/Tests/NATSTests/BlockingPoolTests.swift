import Dispatch
import FleetTestSupport
import Synchronization
import Testing

@testable import NATS

@Suite("Threads that may block")
struct BlockingPoolTests {
    @Test("As many jobs run at once as there are threads, and no more")
    func atOnce() async throws {
        let pool = BlockingPool(threadCountMax: 3)
        defer { pool.close() }
        let tally = Tally()
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await pool.run { () throws(NATSError) in
                        tally.begin()
                        gate.wait()
                        tally.end()
                    }
                }
            }
            try await eventually("three are held up") { tally.present == 3 }
            for _ in 0..<12 { gate.signal() }
            try await group.waitForAll()
        }
        #expect(tally.most == 3)
    }

    @Test("One more job than may wait is refused")
    func busy() async throws {
        let pool = BlockingPool(threadCountMax: 1)
        let gate = DispatchSemaphore(value: 0)
        let tally = Tally()
        let first = pool.post {
            tally.begin()
            gate.wait()
        }
        #expect(first == nil)
        try await eventually("the thread is held up") { tally.present == 1 }
        for _ in 0..<Limits.waitingMax { #expect(pool.post {} == nil) }
        #expect(pool.post {} == .busy)
        gate.signal()
        pool.close()
    }

    @Test("A closed pool runs what waits, then its last job, and takes no more")
    func close() async throws {
        let pool = BlockingPool(threadCountMax: 1)
        let tally = Tally()
        for number in 0..<5 { _ = pool.post { tally.note(number) } }
        pool.close { tally.note(5) }
        pool.close { tally.note(6) }
        await #expect(throws: NATSError.closed("closed by this side")) {
            try await pool.run { () throws(NATSError) in }
        }
        try await eventually("all ran") { tally.numbers.count == 6 }
        #expect(tally.numbers == [0, 1, 2, 3, 4, 5])
    }

    @Test("A pool that never ran anything still runs its last job")
    func unused() async throws {
        let tally = Tally()
        BlockingPool(threadCountMax: 2).close { tally.note(1) }
        try await eventually("it ran") { tally.numbers == [1] }
    }

    @Test("A cancelled task begins nothing")
    func cancelled() async throws {
        let pool = BlockingPool(threadCountMax: 1)
        defer { pool.close() }
        let operation = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.run { () throws(NATSError) in }
        }
        await #expect(throws: NATSError.cancelled) { try await operation.value }
    }
}

/// What jobs did.
private final class Tally: Sendable {
    private let state = Mutex((present: 0, most: 0, numbers: [Int]()))

    var present: Int { state.withLock { $0.present } }
    var most: Int { state.withLock { $0.most } }
    var numbers: [Int] { state.withLock { $0.numbers } }

    func begin() {
        state.withLock {
            $0.present += 1
            $0.most = max($0.most, $0.present)
        }
    }

    func end() { state.withLock { $0.present -= 1 } }
    func note(_ number: Int) { state.withLock { $0.numbers.append(number) } }
}
