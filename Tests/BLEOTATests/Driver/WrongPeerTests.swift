import BLEOTACore
import BLEOTATestSupport
import BLEOTAWire
import Testing

@testable import BLEOTA

/// Peers that break the protocol, and peers that stop to answer: an error in the stated time.
@Suite("Wrong peers", .timeLimit(.minutes(1)))
struct WrongPeerTests {
    private typealias Manner = ScriptedReceiver.Manner
    private typealias Stage = ScriptedReceiver.Stage
    private let image = RandomImage(seed: 21, byteCount: 20_000)

    @Test("A receiver that goes silent ends the push, and hears why", arguments: Stage.allCases)
    func silent(stage: ScriptedReceiver.Stage) async {
        let (error, heard) = await push(to: .silent, from: stage, .impatientWithSilence)
        #expect(error?.problem == .silent)
        #expect(error?.isRetryable == true)
        #expect(heard.last.map(reason) == .silent)
    }

    @Test(
        "A receiver that takes nothing from the link any more ends the push",
        arguments: Stage.allCases,
        Datagram.Delivery.allCases
    )
    func asleep(stage: ScriptedReceiver.Stage, delivery: Datagram.Delivery) async {
        var options = PushOptions.impatientWithSilence
        options.delivery = delivery
        let (error, _) = await push(to: .asleep, from: stage, options)
        #expect(error?.problem == .silent)
    }

    @Test(
        "A receiver that gives no credit for ever ends the push as stalled",
        arguments: [Stage.opening, .manifest, .image]
    )
    func withoutCredit(stage: ScriptedReceiver.Stage) async {
        let (error, heard) = await push(
            to: .withoutCredit,
            from: stage,
            .impatientForProgress
        )
        #expect(error?.problem == .stalled)
        #expect(error?.isRetryable == true)
        #expect(heard.last.map(reason) == .stalled)
    }

    @Test("A receiver that talks otherwise counts as silent", arguments: Stage.allCases)
    func garbage(stage: ScriptedReceiver.Stage) async {
        let (error, heard) = await push(to: .garbage, from: stage, .impatientWithSilence)
        #expect(error?.problem == .silent)
        #expect(heard.last.map(reason) == .silent)
    }

    @Test("An account that can't be true ends the push", arguments: Stage.allCases)
    func malformed(stage: ScriptedReceiver.Stage) async {
        let (error, heard) = await push(to: .malformed, from: stage)
        #expect(error?.problem == .protocolViolated)
        #expect(error?.isRetryable == false)
        #expect(heard.last.map(reason) == .malformedAccount)
    }

    //= END-4: A sender MUST NOT report success unless it has received RESULT *verified* with the
    //= receipt of its image.
    @Test("A receipt for another image is no success", arguments: Stage.allCases)
    func wrongReceipt(stage: ScriptedReceiver.Stage) async {
        let receipt = image.prepared.manifest.receipt
        let (error, _) = await push(to: .result(.verified, detail: receipt ^ 1), from: stage)
        #expect(error?.problem == .wrongReceipt)
        let (success, _) = await push(to: .result(.verified, detail: receipt), from: stage)
        #expect(success == nil)
    }

    @Test(
        "A refusal is passed on with its detail",
        arguments: [
            Reason.busy, .noSpace, .storeFailed, .tooLarge, .unsigned, .notNow, .blockMismatch,
            Reason(rawValue: 0x7F7F),
        ]
    )
    func refused(reason: Reason) async {
        let (error, _) = await push(to: .result(reason, detail: 5), from: .opening)
        #expect(error?.problem == .refused(reason, detail: 5))
        #expect(error?.description.hasSuffix(".") == true)
    }

    // MARK: - Wrong senders

    @Test(
        "A pull from a peer that never answers ends in the stated time",
        arguments: [true, false]
    )
    func silentOffer(takesWhatArrives: Bool) async {
        let (near, far) = loopback()
        let listening = Task { if takesWhatArrives { _ = await far.collectAll() } }
        let error = await transferError { () async throws(TransferError) in
            try await pull("x", over: near, into: MemoryStore(), options: .impatientWithSilence)
        }
        #expect(error?.problem == .silent)
        near.close(.local)
        await listening.value
        // The link would end with its other end.
        withExtendedLifetime(far) {}
    }

    @Test("A pull from a peer that opens and then is silent ends in the stated time")
    func silentAfterOpen() async throws {
        let (near, far) = loopback()
        let prepared = image.prepared
        let sender = Task {
            guard let request = try? await far.receive().first,
                case .request(let frame)? = try? ReceiverControl(
                    decoding: request.bytes.span.bytes,
                    session: .none
                )
            else { return }
            let open = SenderControl.Open(
                session: frame.session,
                chunkSize: ChunkSize(fittingFrameOf: 244),
                manifestByteCount: UInt32(prepared.manifest.bytes.count),
                tag: prepared.manifest.tag
            )
            try? await far.send(SenderControl.open(open).datagram, on: .control, .withResponse)
            _ = await far.collectAll()
        }
        let store = MemoryStore()
        let error = await transferError { () async throws(TransferError) in
            try await pull("x", over: near, into: store, options: .impatientWithSilence)
        }
        #expect(error?.problem == .silent)
        near.close(.local)
        await sender.value
        // The store is free again.
        _ = try await pushing(image.prepared, over: loopback(), into: store)
    }

    @Test("A pull from a peer whose data never arrives ends as stalled, and the peer hears why")
    func stalledPull() async throws {
        let (near, far) = loopback()
        let offer = image.prepared
        let events = EventLog()
        let server = Task {
            await serve(over: Muted(far), into: MemoryStore(), offering: [offer]) {
                events.note($0)
            }
        }
        let error = await transferError { () async throws(TransferError) in
            try await pull(
                offer.image.name,
                over: near,
                into: MemoryStore(),
                options: .impatientForProgress
            )
        }
        #expect(error?.problem == .stalled)
        #expect(error?.isRetryable == true)
        near.close(.local)
        await server.value
        #expect(events.errors.map(\.problem) == [.refused(.stalled, detail: 0)])
    }

    @Test("A server outlives garbage on both channels and then serves")
    func garbageToServer() async throws {
        let (near, far) = loopback()
        let store = MemoryStore()
        async let served: Void = serve(over: far, into: store)
        var random = TestSeed(22)
        for _ in 0..<2_000 {
            let channel = random.next() % 2 == 0 ? Datagram.Channel.control : .data
            let bytes = random.bytes(Int.random(in: 1...244, using: &random))
            try await near.send(bytes, on: channel, .withoutResponse)
        }
        _ = try await BLEOTA.push(image.prepared, over: near)
        #expect(await store.currentBytes == image.bytes)
        near.close(.local)
        await served
    }

    // MARK: - Bench

    private func push(
        to manner: Manner,
        from stage: Stage,
        _ options: PushOptions = PushOptions()
    ) async -> (TransferError?, heard: [SenderControl]) {
        let (near, far) = loopback()
        let receiver = ScriptedReceiver(of: image.bytes.count, from: stage, manner)
        async let heard = receiver.run(over: far)
        let error = await transferError { () async throws(TransferError) in
            try await BLEOTA.push(image.prepared, over: near, options: options)
        }
        near.close(.local)
        return (error, await heard)
    }

    private func reason(_ frame: SenderControl) -> Reason? {
        if case .close(let close) = frame { close.reason } else { nil }
    }
}
