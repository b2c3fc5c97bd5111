import BLEOTACore
import BLEOTAWire
import Synchronization
import Testing

@testable import BLEOTA

/// What arrives while a receiver that has lost its link comes to its end.
@Suite("Stragglers", .timeLimit(.minutes(1)))
struct StragglerTests {
    /// The store's part of the driver had ended, and the memory of the block map with it, while a
    /// batch of datagrams that had arrived before was still being taken in. The receiver trapped.
    @Test("Datagrams that are taken in after the store's work has ended do no harm")
    func lateBatch() async {
        let store = ReleasedStore()
        let (near, far) = loopback()
        let straggling = Straggling(far, until: store)
        var options = PushOptions.impatientWithSilence
        options.window = .fixed(chunkCount: 128)
        let image = RandomImage(seed: 1, byteCount: 1_200_000)
        let error = await transferError { () throws(TransferError) in
            let link = (near as any Transport, straggling as any Transport)
            return try await pushing(image.prepared, over: link, into: store, options: options)
        }
        #expect(error != nil)
        #expect(straggling.hasDelivered)
    }
}

private struct ReleasedStore: WrappedStore {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    let base = MemoryStore()
    private let released = Flag()

    var isReleased: Bool { released.isSet.load(ordering: .acquiring) }

    func release() async {
        await base.release()
        released.isSet.store(true, ordering: .releasing)
    }
}

/// A link that sends nothing from some moment on. The last datagrams that have arrived by then are
/// handed over only when the store has been released.
private final class Straggling: Transport {
    private static let datagramCount = 3_000
    /// Of a window of 128 chunks, at least one of the first ones asks for an ACK, which can't be
    /// sent. The others are several blocks.
    private static let (firstCount, allCount) = (66, 112)

    private let base: any Transport
    private let store: ReleasedStore
    private let count = Atomic(0)
    private let isCut = Atomic(false)
    private let rest = Mutex<[Datagram]>([])
    private let isDelivered = Atomic(false)

    init(_ base: any Transport, until store: ReleasedStore) {
        self.base = base
        self.store = store
    }

    var hasDelivered: Bool { isDelivered.load(ordering: .acquiring) }

    var limits: TransportLimits { base.limits }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        if isCut.load(ordering: .acquiring) { throw .closed(.injected) }
        try await base.send(datagram, on: channel, delivery)
    }

    func flush() async throws(TransportError) { try await base.flush() }

    func receive() async throws(TransportError) -> [Datagram] {
        if isCut.load(ordering: .acquiring) { return try await stragglers() }
        var batch = try await base.receive()
        let sum = count.add(batch.count, ordering: .relaxed).newValue
        guard sum > Self.datagramCount else { return batch }
        while batch.count < Self.allCount { batch += try await base.receive() }
        rest.withLock { $0 = Array(batch[Self.firstCount...]) }
        isCut.store(true, ordering: .releasing)
        return Array(batch[..<Self.firstCount])
    }

    private func stragglers() async throws(TransportError) -> [Datagram] {
        if isDelivered.exchange(true, ordering: .acquiringAndReleasing) {
            throw .closed(.injected)
        }
        while !store.isReleased { await Task.yield() }
        // The task that released the store has only to return.
        for _ in 0..<10_000 { await Task.yield() }
        return rest.withLock { $0 }
    }

    func close(_ reason: CloseReason) { base.close(reason) }

    var closeReason: CloseReason? { base.closeReason }
}
