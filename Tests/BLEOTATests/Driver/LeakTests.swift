import Glibc
import Testing

@testable import BLEOTA

/// What is left when transfers are over: nothing.
@Suite("Leaks", .timeLimit(.minutes(2)))
struct LeakTests {
    private let image = RandomImage(seed: 51, byteCount: 20_000)

    @Test("A hundred transfers over sockets leave no descriptors and no threads behind")
    func descriptorsAndThreads() async throws {
        // Other tests open some of their own meanwhile, so a leak shows by its number.
        try await transfer(.socket)
        let (descriptorsBefore, threadsBefore) = (entries("fd"), entries("task"))
        for _ in 0..<100 { try await transfer(.socket) }
        // A closed link gives its thread and descriptors back within moments.
        while entries("fd") > descriptorsBefore + 60 { await Task.yield() }
        while entries("task") > threadsBefore + 60 { await Task.yield() }
    }

    @Test("Nobody holds a link or a store when its transfers are over", arguments: [true, false])
    func objects(isSuccess: Bool) async throws {
        weak var store: MemoryStore?
        weak var near: LoopbackTransport?
        weak var far: LoopbackTransport?
        for _ in 0..<100 {
            let ends = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 247))
            let memory = MemoryStore()
            (near, far, store) = (ends.0, ends.1, memory)
            var policy = AcceptancePolicy()
            if !isSuccess { policy.judge = { _ in .notNow } }
            let error = await transferError { [policy] () async throws(TransferError) in
                try await pushing(image.prepared, over: ends, into: memory, policy: policy)
            }
            #expect((error == nil) == isSuccess)
        }
        while near != nil || far != nil || store != nil { await Task.yield() }
    }

    private func transfer(_ kind: LinkKind) async throws {
        _ = try await pushing(image.prepared, over: kind.makePair(), into: MemoryStore())
    }

    private func entries(_ name: String) -> Int {
        guard let stream = opendir("/proc/self/\(name)") else { return 0 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}
