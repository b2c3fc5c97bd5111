import BLEOTACore
import BLEOTATestSupport
import BLEOTAWire
import Testing

@testable import BLEOTA

/// Transfers end to end, with nothing in their way or all that a radio has.
@Suite("Transfers", .timeLimit(.minutes(5)))
struct TransferTests {
    @Test(
        "An image arrives whole over every link, at every MTU, in both write modes",
        arguments: [LinkKind.loopback, .socket, .serial],
        [23, 65, 185, 247, 498, 517]
    )
    func plain(kind: LinkKind, attMTU: Int) async throws {
        for delivery in Datagram.Delivery.allCases {
            let image = RandomImage(seed: UInt64(attMTU), byteCount: 20_001)
            let store = MemoryStore()
            var options = PushOptions()
            options.delivery = delivery
            let log = EventLog()
            let report = try await pushing(
                image.prepared,
                over: kind.makePair(attMTU: attMTU),
                into: store,
                options: options,
                log: log
            )
            #expect(await store.currentBytes == image.bytes)
            #expect(log.words == ["started", "stored"])
            #expect(report.sha256 == image.prepared.manifest.sha256)
            #expect(report.byteCount == 20_001)
            #expect(report.resumedFromByte == 0)
            #expect(report.attMTU == attMTU)
            #expect(
                report.chunkByteCount
                    == ChunkSize(fittingFrameOf: min(attMTU - 3, 512)).byteCount
            )
            let chunkCount = (20_000 / report.chunkByteCount + 1)
            #expect(report.dataFramesSent - report.dataFramesResent > chunkCount)
        }
    }

    @Test(
        "An image of every awkward length arrives whole",
        arguments: [1, 239, 240, 241, 4_095, 4_096, 4_097, 8_192, 300_000]
    )
    func lengths(byteCount: Int) async throws {
        let image = RandomImage(seed: 1, byteCount: byteCount)
        let store = MemoryStore()
        let report = try await pushing(image.prepared, over: loopback(), into: store)
        #expect(await store.currentBytes == image.bytes)
        #expect(report.byteCount == byteCount)
    }

    @Test("The pause of the field rule is whole, however long the burst before it took")
    func fieldRule() async throws {
        let image = RandomImage(seed: 12, byteCount: 40 * 240)
        let (near, far) = loopback()
        let link = Unhurried(near)
        let store = MemoryStore()
        var options = PushOptions()
        options.window = PushOptions.Window(.fieldRule)
        _ = try await pushing(image.prepared, over: (link, far), into: store, options: options)
        #expect(await store.currentBytes == image.bytes)
        // Between any 13 chunks of the image there is one; the manifest has bursts of its own.
        let pauses = Array(link.pauses.suffix(39))
        for first in 0...(39 - 12) {
            let longest = pauses[first..<(first + 12)].max()
            #expect(try #require(longest) >= .milliseconds(100))
        }
    }

    @Test("Blocks are written on while the disk is busy with those before")
    func busyDisk() async throws {
        let blockCount = StoreWorker.unsynchronizedByteCountMax / 4096 - 1
        let image = RandomImage(seed: 3, byteCount: blockCount * 4096)
        let store = BusyDiskStore(imageBlockCount: blockCount)
        // A second or more for all, so that the driver finds time to ask the disk.
        var options = PushOptions()
        options.window = .burst(chunkCount: 16, pause: .milliseconds(30))
        _ = try await pushing(image.prepared, over: loopback(), into: store, options: options)
        #expect(store.wasWrittenBesides)
        #expect(await store.currentBytes == image.bytes)
    }

    @Test(
        "Every window brings the image across",
        arguments: [
            .automatic, .fixed(chunkCount: 1), .fixed(chunkCount: 7), .fixed(chunkCount: 512),
            .burst(chunkCount: 12), .burst(chunkCount: 12, pause: .milliseconds(10)),
            .burst(chunkCount: 1, pause: .zero),
        ] as [PushOptions.Window]
    )
    func windows(window: PushOptions.Window) async throws {
        let image = RandomImage(seed: 2, byteCount: 30_000)
        let store = MemoryStore()
        var options = PushOptions()
        options.window = window
        _ = try await pushing(image.prepared, over: loopback(), into: store, options: options)
        #expect(await store.currentBytes == image.bytes)
    }

    @Test("One link carries push after push, and an image that is there is not sent again")
    func pushesOnOneLink() async throws {
        let link = loopback()
        let store = MemoryStore()
        let log = EventLog()
        async let served: Void = serve(over: link.1, into: store, onEvent: log.note)
        for seed in 1...3 as ClosedRange<UInt64> {
            let image = RandomImage(seed: seed, byteCount: 10_000)
            let report = try await push(image.prepared, over: link.0)
            #expect(await store.currentBytes == image.bytes)
            #expect(report.resumedFromByte == 0)
            let again = try await push(image.prepared, over: link.0)
            #expect(again.resumedFromByte == 10_000)
            #expect(again.dataFramesSent == 0)
            #expect(again.goodputBytesPerSecond == 0)
        }
        link.0.close(.local)
        await served
        #expect(
            log.words
                == Array(repeating: ["started", "stored", "alreadyCurrent"], count: 3)
                .flatMap { $0 }
        )
    }

    @Test("Progress counts durable bytes, never falls, and ends with all of them")
    func progress() async throws {
        let image = RandomImage(seed: 3, byteCount: 600_000)
        let seen = ProgressLog()
        _ = try await pushing(
            image.prepared,
            over: loopback(),
            into: MemoryStore(),
            options: .slow,
            onProgress: seen.note
        )
        let counts = seen.all.map(\.durableByteCount)
        #expect(counts == counts.sorted())
        #expect(counts.first == 0)
        #expect(counts.count > 2)
        #expect(seen.all.allSatisfy { $0.totalByteCount == 600_000 })
    }

    @Test("A single receive returns with the image it stored")
    func singleReceive() async throws {
        let image = RandomImage(seed: 4, byteCount: 10_000)
        let (near, far) = loopback()
        let store = MemoryStore()
        async let received = receive(over: far, into: store)
        _ = try await push(image.prepared, over: near)
        let stored = try await received
        #expect(stored.sha256 == image.prepared.manifest.sha256)
        #expect(await store.current == stored)
    }

    //= OPEN-9
    @Test(
        "A pull fetches by name, again and again",
        arguments: [LinkKind.loopback, .socket, .serial]
    )
    func pulls(kind: LinkKind) async throws {
        let offers = [
            RandomImage(seed: 5, byteCount: 50_000, name: "a"),
            RandomImage(seed: 6, byteCount: 70_000, name: "b"),
        ]
        let (near, far) = try await kind.makePair()
        let log = EventLog()
        async let served: Void = serve(
            over: far,
            into: MemoryStore(),
            offering: offers.map(\.prepared),
            onEvent: log.note
        )
        for offer in offers {
            let store = MemoryStore()
            let report = try await pull(offer.prepared.image.name, over: near, into: store)
            #expect(await store.currentBytes == offer.bytes)
            #expect(report.sha256 == offer.prepared.manifest.sha256)
            #expect(report.resumedFromByte == 0)
            #expect(report.chunkByteCount == 240)
            #expect(report.dataFramesSent > offer.bytes.count / 240)
        }
        let error = await transferError { () async throws(TransferError) in
            try await pull("c", over: near, into: MemoryStore())
        }
        #expect(error?.problem == .noSuchObject)
        let store = MemoryStore()
        _ = try await pull("a", over: near, into: store)
        #expect(await store.currentBytes == offers[0].bytes)
        near.close(.local)
        await served
        #expect(log.words == ["served", "served", "served"])
    }

    @Test("A link carries pushes and pulls in turn")
    func bothDirections() async throws {
        let offer = RandomImage(seed: 7, byteCount: 20_000, name: "log")
        let image = RandomImage(seed: 8, byteCount: 20_000)
        let (near, far) = loopback()
        let there = MemoryStore()
        async let served: Void = serve(over: far, into: there, offering: [offer.prepared])
        for _ in 0..<3 {
            let here = MemoryStore()
            _ = try await pull("log", over: near, into: here)
            _ = try await push(image.prepared, over: near)
            #expect(await here.currentBytes == offer.bytes)
            #expect(await there.currentBytes == image.bytes)
        }
        near.close(.local)
        await served
    }

    @Test(
        "Up to 20 % each of loss, duplicates, reordering, corruption and truncation change nothing",
        arguments: TestSeed.rounds(6, of: "faults")
    )
    func faults(seed: UInt64) async throws {
        var random = TestSeed(seed)
        func plan() -> FaultPlan {
            func share() -> Probability {
                Probability(Double.random(in: 0...0.2, using: &random))!
            }
            return FaultPlan(
                loss: share(),
                duplication: share(),
                reordering: share(),
                corruption: share(),
                truncation: share(),
                seed: random.next()
            )
        }
        let attMTU = [23, 65, 185, 247, 498, 517].randomElement(using: &random)!
        let byteCount = Int.random(in: 1...150 * attMTU, using: &random)
        let image = RandomImage(seed: seed, byteCount: byteCount)
        let store = MemoryStore()
        // Six unlucky probes in a row are ten seconds of silence; then the user tries again.
        var error: TransferError?
        for _ in 0..<5 {
            let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: attMTU))
            let link = (
                FaultyTransport(near, plan: plan()), FaultyTransport(far, plan: plan())
            )
            error = await transferError { () async throws(TransferError) in
                try await pushing(image.prepared, over: link, into: store)
            }
            guard let error, error.isRetryable else { break }
        }
        #expect(error == nil, "seed 0x\(String(seed, radix: 16))")
        #expect(await store.currentBytes == image.bytes, "seed 0x\(String(seed, radix: 16))")
    }
}
