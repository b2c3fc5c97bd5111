import BLEOTACore
import BLEOTAWire
import SystemPackage
import Testing

@testable import BLEOTA

/// A receiver that serves many peers: none of them ends it, and none keeps the others out.
@Suite("Service", .timeLimit(.minutes(2)))
struct ServiceTests {
    private let directory = SocketDirectory()
    private let image = RandomImage(seed: 61, byteCount: 100_000)

    /// A service that a test ends.
    private func serving(
        into store: any ImageStore,
        _ limits: ServiceLimits = ServiceLimits(),
        log: EventLog = EventLog()
    ) throws -> Task<Void, any Error> {
        let listener = try SocketListener(path: directory.socket)
        return Task {
            try await serve(listener: listener, into: store, limits: limits, onEvent: log.note)
        }
    }

    private func pushing() async throws(TransferError) -> TransferReport {
        try await push(image.prepared, through: SocketConnector(path: directory.socket))
    }

    private func end(_ serving: Task<Void, any Error>) async {
        serving.cancel()
        await #expect(throws: SocketError.cancelled) { try await serving.value }
    }

    /// Opens a session for a transfer that never comes.
    private func opener(
        _ session: UInt16 = 1,
        at path: FilePath? = nil
    ) async throws -> SocketTransport {
        let link = try await SocketTransport.connect(path: path ?? directory.socket)
        let open = SenderControl.Open(
            session: SessionNumber(session),
            chunkSize: .smallest,
            manifestByteCount: 100,
            tag: TransferTag(rawValue: UInt64(session))
        )
        try await link.send(SenderControl.open(open).bytes, on: .control, .withResponse)
        return link
    }

    private func poll(_ link: SocketTransport, _ session: UInt16 = 1) async throws(TransportError) {
        let poll = SenderControl.Poll(
            session: SessionNumber(session),
            object: .manifest,
            epoch: Epoch(0)
        )
        try await link.send(SenderControl.poll(poll).bytes, on: .control, .withResponse)
    }

    /// Waits until the receiver answers a session, which is then before all that come later.
    private func begun(on link: SocketTransport) async throws {
        try await poll(link)
        _ = try await link.receive()
    }

    /// Polls two hundred times a second, until cancelled.
    private func polling(on link: SocketTransport) -> Task<Void, any Error> {
        Task {
            while !Task.isCancelled {
                try await poll(link)
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// How the session of a link ended, by its RESULT.
    private func result(on link: SocketTransport, _ session: UInt16 = 1) async throws -> Reason {
        while true {
            for datagram in try await link.receive() {
                let frame = try? ReceiverControl(
                    decoding: datagram.bytes.span.bytes,
                    session: SessionNumber(session)
                )
                if case .result(let result)? = frame { return result.reason }
            }
        }
    }

    @Test("The example of the documentation serves a push beside peers of every bad kind")
    func example() async throws {
        let path = directory.socket
        let store = MemoryStore()
        let (silent, babbler): (RawSocketPeer, RawSocketPeer)
        let listener = try SocketListener(path: path)
        let example = Task {
            try await serve(listener: listener, into: store) { event in _ = "\(event)" }
        }
        silent = .connecting(to: path)
        babbler = .connecting(to: path)
        babbler.send([1, 2, 3])
        RawSocketPeer.connecting(to: path).close()
        _ = try await pushing()
        #expect(await store.currentBytes == image.bytes)
        // Our hello: it is still being waited for.
        #expect(await silent.receive()?.first == 0x01)
        await end(example)
    }

    @Test("A peer that says nothing delays nobody who does")
    func sideBySide() async throws {
        let listener = try SocketListener(
            path: directory.socket,
            attMTU: 247,
            inboundLimit: 10,
            helloTimeout: .seconds(1_000)
        )
        let silent = (0..<5).map { _ in RawSocketPeer.connecting(to: directory.socket) }
        async let accepted = listener.accept()
        _ = try await SocketTransport.connect(path: directory.socket)
        _ = try await accepted
        _ = silent
    }

    @Test("When there are as many links as may be, the oldest without a session makes room")
    func room() async throws {
        var limits = ServiceLimits()
        limits.linkCountMax = 3
        let store = MemoryStore()
        let serving = try serving(into: store, limits)
        var idle: [SocketTransport] = []
        for _ in 0..<3 { idle.append(try await .connect(path: directory.socket)) }
        _ = try await pushing()
        #expect(await store.currentBytes == image.bytes)
        await #expect(throws: TransportError.closed(.remote)) { try await idle[0].receive() }
        #expect(idle[2].closeReason == nil)
        await end(serving)
    }

    @Test("A link without a session ends after its time, and one that is asked for stays")
    func idle() async throws {
        var limits = ServiceLimits()
        limits.idleLimit = .milliseconds(40)
        let serving = try serving(into: MemoryStore(), limits)
        let idle = try await SocketTransport.connect(path: directory.socket)
        await #expect(throws: TransportError.closed(.remote)) { try await idle.receive() }
        await end(serving)
    }

    @Test("A session whose peer only polls makes way for a push, and hears that it is busy")
    func makesWay() async throws {
        var limits = ServiceLimits()
        limits.patience = .milliseconds(100)
        let store = MemoryStore()
        let log = EventLog()
        let serving = try serving(into: store, limits, log: log)
        let link = try await opener()
        try await begun(on: link)
        let polling = polling(on: link)
        _ = try await pushing()
        #expect(await store.currentBytes == image.bytes)
        #expect(try await result(on: link) == .busy)
        polling.cancel()
        await end(serving)
        #expect(log.errors.contains(TransferError(.refused(.busy, detail: 0))))
    }

    @Test("Of many sessions that do nothing the push waits for a few only")
    func manyOpeners() async throws {
        var limits = ServiceLimits()
        limits.patience = .milliseconds(40)
        let store = MemoryStore()
        let serving = try serving(into: store, limits)
        var links: [SocketTransport] = []
        for session in 1...20 as ClosedRange<UInt16> { links.append(try await opener(session)) }
        _ = try await pushing()
        #expect(await store.currentBytes == image.bytes)
        await end(serving)
    }

    //= TIME-5
    @Test("A session that gets nothing new ends as stalled though its peer polls; so does its link")
    func stalled() async throws {
        var limits = ServiceLimits()
        limits.progressLimit = .milliseconds(80)
        let store = MemoryStore()
        let serving = try serving(into: store, limits)
        let link = try await opener()
        let polling = polling(on: link)
        #expect(try await result(on: link) == .stalled)
        polling.cancel()
        await #expect(throws: TransportError.closed(.remote)) {
            while true { _ = try await link.receive() }
        }
        _ = try await pushing()
        #expect(await store.currentBytes == image.bytes)
        await end(serving)
    }

    @Test("A service for one image is not ended by a sender whose image can't be kept")
    func once() async throws {
        let listener = try SocketListener(path: directory.socket)
        let store = FailingStore(afterBlocks: 3)
        let service = Service(into: store, policy: AcceptancePolicy()) { _, _ in }
        let serving = Task {
            try await service.run(isOnce: true) { Guest(try await listener.accept()) }
        }
        let error = await transferError { () async throws(TransferError) in try await pushing() }
        #expect(error?.problem == .refused(.noSpace, detail: 77))
        store.makeRoom()
        _ = try await pushing()
        try await serving.value
        #expect(await store.base.currentBytes == image.bytes)
    }
}
