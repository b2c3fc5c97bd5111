import BLEOTACore
import BLEOTATestSupport
import BLEOTAWire
import SystemPackage
import Testing

@testable import BLEOTA

/// What is kept and what is said when a transfer does not get to its end.
@Suite("Interruptions", .timeLimit(.minutes(2)))
struct InterruptionTests {
    private let image = RandomImage(seed: 11, byteCount: 1_500_000)

    //= END-5: An end that gives up MUST say so and give a reason: a sender with CLOSE, a receiver
    //= with RESULT.
    @Test("A cancelled push says CLOSE, and the next one goes on from what is durable")
    func cancelledPush() async throws {
        let (store, log) = (MemoryStore(), EventLog())
        let error = await cancelling { (onProgress) async throws(TransferError) in
            try await pushing(
                image.prepared,
                over: loopback(),
                into: store,
                options: .slow,
                log: log,
                onProgress: onProgress
            )
        }
        #expect(error?.problem == .cancelled)
        #expect(error?.isRetryable == true)
        #expect(log.errors.map(\.problem) == [.refused(.cancelled, detail: 0)])
        #expect(await store.current == nil)

        let report = try await pushing(image.prepared, over: loopback(), into: store, log: log)
        #expect(report.resumedFromByte > 0)
        #expect(report.resumedFromByte < 1_500_000)
        #expect(log.words == ["started", "ended", "resumed", "stored"])
        #expect(await store.currentBytes == image.bytes)
    }

    @Test("A cancelled receiver says RESULT, and the sender learns that it can go on")
    func cancelledServer() async throws {
        let store = MemoryStore()
        let (near, far) = loopback()
        let server = Task { await serve(over: far, into: store) }
        let error = await transferError { () async throws(TransferError) in
            try await push(image.prepared, over: near, options: .slow) { progress in
                if progress.durableByteCount > 0 { server.cancel() }
            }
        }
        await server.value
        #expect(error?.problem == .refused(.cancelled, detail: 0))
        #expect(error?.isRetryable == true)
        let report = try await pushing(image.prepared, over: loopback(), into: store)
        #expect(report.resumedFromByte > 0)
        #expect(await store.currentBytes == image.bytes)
    }

    @Test("An idle server returns when it is cancelled")
    func cancelledIdleServer() async {
        let (near, far) = loopback()
        let server = Task { await serve(over: far, into: MemoryStore()) }
        await letOthersRun()
        server.cancel()
        await server.value
        #expect(near.closeReason == nil)
    }

    @Test("A cancelled pull says so, keeps what is durable and can go on")
    func cancelledPull() async throws {
        let (near, far) = loopback()
        let (store, log) = (MemoryStore(), EventLog())
        async let served: Void = serve(
            over: Slowed(far),
            into: MemoryStore(),
            offering: [image.prepared],
            onEvent: log.note
        )
        let error = await cancelling { (onProgress) async throws(TransferError) in
            try await pull("image.bin", over: near, into: store) { event in
                if case .progress(let progress) = event { onProgress(progress) }
            }
        }
        #expect(error?.problem == .cancelled)
        let report = try await pull("image.bin", over: near, into: store)
        #expect(report.resumedFromByte > 0)
        #expect(await store.currentBytes == image.bytes)
        near.close(.local)
        await served
        #expect(log.words == ["servingEnded", "served"])
        #expect(log.errors.map(\.problem) == [.refused(.cancelled, detail: 0)])
    }

    //= OPEN-12
    /// On a serial line, where no link ends with the process: the two waited for each other for
    /// eleven seconds.
    @Test("A receiver that was restarted and asks again is answered at once")
    func askedAgain() async throws {
        let (near, far) = loopback()
        async let served: Void = serve(
            over: far,
            into: MemoryStore(),
            offering: [image.prepared]
        )
        var opened: [SessionNumber] = []
        let nameTag = TransferTag(hashing: Array("image.bin".utf8))
        for session in [SessionNumber(7), SessionNumber(7), SessionNumber(40)] {
            let request = ReceiverControl.request(.init(session: session, nameTag: nameTag))
            try await near.send(request.bytes(session: session), on: .control, .withResponse)
            while opened.last != session {
                for datagram in try await near.receive() where datagram.channel == .control {
                    let frame = try SenderControl(decoding: datagram.bytes.span.bytes)
                    if case .open(let open) = frame { opened.append(open.session) }
                }
            }
        }
        #expect(Set(opened) == [SessionNumber(7), SessionNumber(40)])
        near.close(.local)
        await served
    }

    @Test("A push that was cancelled before it began ends at once")
    func cancelledBefore() async {
        let (near, far) = loopback()
        let store = MemoryStore()
        async let served: Void = serve(over: far, into: store)
        let pusher = Task {
            try? await Task.sleep(for: .seconds(60))
            return await transferError { () async throws(TransferError) in
                try await push(image.prepared, over: near)
            }
        }
        pusher.cancel()
        #expect(await pusher.value?.problem == .cancelled)
        near.close(.local)
        await served
        #expect(await store.current == nil)
    }

    @Test("A push whose link is cut again and again goes on over new links, and sends little twice")
    func cuts() async throws {
        let store = MemoryStore()
        let cuts = [2, 5, 400, 1_200, 30, 2_000]
        let connector = LoopbackConnector(to: store, cuts: cuts)
        var options = PushOptions()
        options.window = .fixed(chunkCount: 64)
        let report = try await push(image.prepared, through: connector, options: options)
        await connector.finish()
        #expect(await store.currentBytes == image.bytes)
        #expect(report.reconnectionCount == cuts.count)
        #expect(report.resumedFromByte == 0)
        let frameCount = (1_500_000 + 239) / 240 + (image.prepared.manifest.bytes.count + 239) / 240
        // Each cut costs at most what was in flight, a block, and the manifest's block.
        #expect(report.dataFramesSent <= frameCount + cuts.count * (64 + 2 * 18 + 1))
    }

    @Test("A pull whose link is cut goes on over new links")
    func pullCuts() async throws {
        let connector = LoopbackConnector(
            to: MemoryStore(),
            cuts: [1, 3, 10, 20],
            offers: [image.prepared]
        )
        let store = MemoryStore()
        let report = try await pull("image.bin", through: connector, into: store)
        await connector.finish()
        #expect(await store.currentBytes == image.bytes)
        #expect(report.reconnectionCount == 4)
    }

    @Test("A file that changes during a push ends it, and the receiver keeps its old image")
    func fileChanges() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path / "firmware.bin"
        writeFile(path, image.bytes)
        let prepared = try Firmware(FirmwareFile(contentsOf: path))
        let store = MemoryStore()
        let old = RandomImage(seed: 12, byteCount: 5_000)
        _ = try await pushing(old.prepared, over: loopback(), into: store)

        let log = EventLog()
        let error = await transferError { () async throws(TransferError) in
            try await pushing(
                prepared,
                over: loopback(),
                into: store,
                options: .slow,
                log: log
            ) { progress in
                if progress.durableByteCount > 0 { writeFile(path, [1, 2, 3]) }
            }
        }
        guard case .source(let cause) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == .changed)
        #expect(log.errors.map(\.problem) == [.refused(.sourceFailed, detail: 0)])
        #expect(await store.currentBytes == old.bytes)
    }

    @Test("A store that is full in the middle says so, and the transfer goes on when there is room")
    func storeFull() async throws {
        let store = FailingStore(afterBlocks: 200)
        let log = EventLog()
        let error = await transferError { () async throws(TransferError) in
            try await pushing(
                image.prepared,
                over: loopback(),
                into: store,
                options: .slow,
                log: log
            )
        }
        #expect(error?.problem == .refused(.noSpace, detail: 77))
        #expect(log.errors.map(\.problem) == [.store(.noSpace("the disk", bytesFree: 77))])

        store.makeRoom()
        let report = try await pushing(image.prepared, over: loopback(), into: store)
        #expect(report.resumedFromByte > 0)
        #expect(await store.currentBytes == image.bytes)
    }

    @Test("A policy refuses before anything is written, with its reason")
    func policy() async throws {
        var policy = AcceptancePolicy()
        policy.imageByteCountMax = 1_499_999
        let store = MemoryStore()
        let tooLarge = await transferError { () async throws(TransferError) in
            try await pushing(image.prepared, over: loopback(), into: store, policy: policy)
        }
        #expect(tooLarge?.problem == .refused(.tooLarge, detail: 1_499_999))

        policy.imageByteCountMax = 1_500_000
        policy.judge = { $0.name == "image.bin" ? .notNow : nil }
        let notNow = await transferError { () async throws(TransferError) in
            try await pushing(image.prepared, over: loopback(), into: store, policy: policy)
        }
        #expect(notNow?.problem == .refused(.notNow, detail: 0))
        #expect(notNow?.isRetryable == true)

        policy.judge = { _ in nil }
        let report = try await pushing(
            image.prepared,
            over: loopback(),
            into: store,
            policy: policy
        )
        #expect(report.resumedFromByte == 0)
    }

    @Test("A second sender is told that the receiver is busy, and the first goes on")
    func busy() async throws {
        let store = MemoryStore()
        let other = RandomImage(seed: 13, byteCount: 1_000)
        let secondIsOver = Signal()
        let begun = Signal()
        async let first = pushing(
            image.prepared,
            over: loopback(),
            into: store,
            options: .slow
        ) { _ in begun.send() }
        await begun.wait()
        let error = await transferError { () async throws(TransferError) in
            try await pushing(other.prepared, over: loopback(), into: store)
        }
        secondIsOver.send()
        #expect(error?.problem == .refused(.busy, detail: 0))
        _ = try await first
        #expect(await store.currentBytes == image.bytes)
    }

    /// Runs something in a task that is cancelled when the first bytes are durable.
    private func cancelling<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                @escaping @Sendable (BLEOTA.TransferProgress) -> Void
            ) async throws(TransferError) -> Value
    ) async -> TransferError? {
        let isDurable = Signal()
        let task = Task {
            await transferError { () async throws(TransferError) in
                try await body { if $0.durableByteCount > 0 { isDurable.send() } }
            }
        }
        await isDurable.wait()
        task.cancel()
        return await task.value
    }
}
