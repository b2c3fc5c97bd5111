import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTA

/// Measurements: a part of an image goes, and nothing of it stays.
@Suite("Measurements", .timeLimit(.minutes(2)))
struct MeasureTests {
    private let image = RandomImage(seed: 21, byteCount: 1_000_000)

    @Test("A measurement counts what was acknowledged, and leaves nothing at the receiver")
    func measured() async throws {
        let (store, log) = (MemoryStore(), EventLog())
        let measurement = try await measuring(image, into: store, for: .milliseconds(50), log)
        #expect(measurement.acknowledgedByteCount > 0)
        #expect(measurement.acknowledgedByteCount < 1_000_000)
        #expect(measurement.goodputBytesPerSecond > 0)
        #expect(measurement.dataFramesResent == 0)
        #expect(measurement.chunkByteCount == 240 && measurement.attMTU == 247)
        #expect(log.words == ["started", "ended"])
        #expect(log.errors.map(\.problem) == [.refused(.withdrawn, detail: 0)])
        #expect(await store.current == nil)
        #expect(try await isForgotten(by: store))
    }

    @Test("The last block is never sent, however much time there is")
    func lastBlock() async throws {
        for byteCount in [4_096, 4_097, 8_192, 50_000] {
            let (store, log) = (MemoryStore(), EventLog())
            let small = RandomImage(seed: 22, byteCount: byteCount)
            let measurement = try await measuring(small, into: store, for: .seconds(60), log)
            let limit = (byteCount - 1) / 4_096 * 4_096
            #expect(measurement.acknowledgedByteCount <= limit, "\(byteCount)")
            // Each chunk that ends before the last block.
            #expect(measurement.acknowledgedByteCount == limit / 240 * 240, "\(byteCount)")
            #expect(measurement.dataFramesSent == limit / 240)
            #expect(await store.current == nil)
            #expect(log.words == ["started", "ended"])
        }
    }

    @Test("Frames are as short as a smaller ATT_MTU asks for")
    func attMTU() async throws {
        let store = MemoryStore()
        let measurement = try await measuring(
            image,
            into: store,
            for: .milliseconds(20),
            attMTUMax: 23
        )
        #expect(measurement.chunkByteCount == 16 && measurement.attMTU == 23)
    }

    @Test("A cancelled measurement takes back what it sent, too")
    func cancelled() async throws {
        let (store, log) = (MemoryStore(), EventLog())
        let (near, far) = loopback()
        let server = Task { await serve(over: far, into: store, onEvent: log.note) }
        let started = Signal()
        let prepared = image.prepared
        let task = Task { () async throws(TransferError) -> TransferMeasurement in
            try await measure(prepared, over: near, for: .seconds(60), options: .slow) {
                if $0.durableByteCount > 0 { started.send() }
            }
        }
        await started.wait()
        task.cancel()
        let error = await transferError { () async throws(TransferError) in
            do { return try await task.value } catch { throw error as! TransferError }
        }
        near.close(.local)
        await server.value
        #expect(error?.problem == .cancelled)
        #expect(log.errors.map(\.problem) == [.refused(.withdrawn, detail: 0)])
        #expect(try await isForgotten(by: store))
    }

    @Test("A measurement whose link ends says so, and its part can be taken back over another")
    func linkLost() async throws {
        let (store, log) = (MemoryStore(), EventLog())
        let (near, far) = loopback()
        let server = Task { await serve(over: far, into: store, onEvent: log.note) }
        let error = await transferError { () async throws(TransferError) in
            try await measure(
                image.prepared,
                over: near,
                for: .seconds(60),
                options: .slow
            ) { progress in
                if progress.durableByteCount > 0 { far.close(.local) }
            }
        }
        await server.value
        #expect(error?.problem == .linkLost(.remote))
        #expect(try await !isForgotten(by: store))

        let again = loopback()
        async let served: Void = serve(over: again.1, into: store)
        try await withdraw(image.prepared, over: again.0)
        again.0.close(.local)
        await served
        #expect(try await isForgotten(by: store))
    }

    @Test("An image that is current stays it, measured or taken back")
    func current() async throws {
        let store = MemoryStore()
        _ = try await pushing(image.prepared, over: loopback(), into: store)
        let measurement = try await measuring(image, into: store, for: .seconds(60))
        #expect(measurement.acknowledgedByteCount == 0)
        #expect(measurement.goodputBytesPerSecond == 0)
        #expect(await store.currentBytes == image.bytes)
    }

    private func measuring(
        _ image: RandomImage,
        into store: MemoryStore,
        for duration: Duration,
        attMTUMax: Int = 517,
        _ log: EventLog = EventLog()
    ) async throws -> TransferMeasurement {
        let (near, far) = loopback()
        async let served: Void = serve(over: far, into: store, onEvent: log.note)
        let measurement = try await measure(
            image.prepared,
            over: near,
            for: duration,
            attMTUMax: attMTUMax
        )
        near.close(.local)
        await served
        return measurement
    }

    /// Whether the store has nothing of the image, and would ask for all of its manifest.
    private func isForgotten(by store: MemoryStore) async throws -> Bool {
        let offer = image.prepared.variants[0].offer
        let held = try await store.open(
            offer.tag,
            manifestByteCount: Int(offer.manifestByteCount)
        )
        await store.release()
        guard case .manifest(blockCount: 0) = held else { return false }
        return true
    }
}
