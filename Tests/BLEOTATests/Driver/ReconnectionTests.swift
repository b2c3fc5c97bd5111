import BLEOTACore
import SystemPackage
import Testing

@testable import BLEOTA

/// When a lost link is made again, and when not.
@Suite("Reconnection", .timeLimit(.minutes(1)))
struct ReconnectionTests {
    private let image = RandomImage(seed: 31, byteCount: 100_000)

    @Test("The first link has to come about within its limit")
    func firstLink() async {
        let connector = SocketConnector(path: "/tmp/bleota-nobody-is-here")
        var options = PushOptions()
        options.connectionLimit = .milliseconds(20)
        let error = await transferError { [options] () async throws(TransferError) in
            try await push(image.prepared, through: connector, options: options)
        }
        guard case .nobodyThere(let sentence) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(sentence.contains("/tmp/bleota-nobody-is-here"))
    }

    @Test("A receiver that starts after the push is found within the limit")
    func lateReceiver() async throws {
        let directory = SocketDirectory()
        let store = MemoryStore()
        var options = PushOptions()
        options.connectionLimit = .seconds(50)
        let connector = CountedConnector(SocketConnector(path: directory.socket))
        async let report = push(image.prepared, through: connector, options: options)
        await connector.awaitFailures(2)
        let listener = try SocketListener(path: directory.socket)
        let serving = Task { try await serve(listener: listener, into: store) }
        #expect(try await report.byteCount == image.bytes.count)
        serving.cancel()
        _ = await serving.result
    }

    @Test("Attempts that fail are repeated, and the push goes on")
    func attempts() async throws {
        let store = MemoryStore()
        let connector = LoopbackConnector(to: store, cuts: [100], refusalCount: 2)
        let report = try await push(image.prepared, through: connector)
        #expect(report.reconnectionCount == 1)
        #expect(connector.attemptCount == 4)
        #expect(await store.currentBytes == image.bytes)
        await connector.finish()
    }

    //= OPEN-11
    //= LINK-1
    @Test("Each link has a session of its own, with the number after that of the one before")
    func sessions() async throws {
        let store = MemoryStore()
        let base = LoopbackConnector(to: store, cuts: [3, 100, 200])
        let connector = OpensConnector(base)
        _ = try await push(image.prepared, through: connector)
        await base.finish()
        let sessions = connector.sessions
        #expect(sessions.count == 4)
        #expect(sessions == (0..<4).map { sessions[0] &+ $0 })
    }

    @Test("When the limit has passed, the error is that of the lost link")
    func limit() async {
        let connector = LoopbackConnector(to: MemoryStore(), cuts: [50], refusalCount: .max)
        var options = PushOptions()
        options.reconnectionLimit = .seconds(2)
        let error = await transferError { [options] () async throws(TransferError) in
            try await push(image.prepared, through: connector, options: options)
        }
        #expect(error?.problem == .linkLost(.injected))
        #expect(connector.attemptCount >= 2)
        await connector.finish()
    }

    @Test("A push that is cancelled while it waits for a link ends as cancelled")
    func cancelled() async {
        let connector = LoopbackConnector(to: MemoryStore(), cuts: [50], refusalCount: .max)
        let image = image
        let pusher = Task {
            await transferError { () async throws(TransferError) in
                try await push(image.prepared, through: connector)
            }
        }
        while connector.attemptCount < 2 { await Task.yield() }
        pusher.cancel()
        #expect(await pusher.value?.problem == .cancelled)
        await connector.finish()
    }

    @Test("A refusal is not tried again, except that the receiver is busy")
    func refusals() async {
        let store = FailingStore(afterBlocks: 3)
        let connector = LoopbackConnector(to: store, cuts: [])
        let error = await transferError { () async throws(TransferError) in
            try await push(image.prepared, through: connector)
        }
        #expect(error?.problem == .refused(.noSpace, detail: 77))
        #expect(connector.attemptCount == 1)
        await connector.finish()
    }

    @Test("A peer that says no hello is silent, and one that talks otherwise is not understood")
    func strangers() async throws {
        let directory = SocketDirectory()
        let door = RawSocketPeer.listening(at: directory.socket)
        let connector = SocketConnector(path: directory.socket, timeout: .milliseconds(200))
        let silent = await transferError { () async throws(TransferError) in
            try await connector.connect()
        }
        #expect(silent?.problem == .silent)

        async let error = transferError { () async throws(TransferError) in
            try await connector.connect()
        }
        _ = door.accepting()
        let stranger = door.accepting()
        stranger.send(Array("HTTP/1.1 400 Bad Request".utf8))
        guard case .peerNotUnderstood = await error?.problem else {
            Issue.record("understood")
            return
        }
    }

    @Test("A connect that is cancelled ends as cancelled")
    func cancelledConnect() async {
        let directory = SocketDirectory()
        let door = RawSocketPeer.listening(at: directory.socket)
        let connector = SocketConnector(path: directory.socket)
        let connecting = Task {
            await transferError { () async throws(TransferError) in try await connector.connect() }
        }
        let stranger = door.accepting()
        connecting.cancel()
        #expect(await connecting.value?.problem == .cancelled)
        stranger.close()
    }
}
