import Synchronization
import SystemPackage

@testable import BLEOTA

/// A receiver at a socket, as an embedder begins it, and what it reports.
final class ServedSocket: Sendable {
    let store = MemoryStore()
    private let directory = SocketDirectory()
    private let log = Log()
    private let serving: Task<Void, any Error>

    private final class Log: Sendable {
        let events = Mutex<[ReceiverEvent]>([])
        /// Yields after each event to each task that waits for one.
        let waiting = Mutex<[AsyncStream<Void>.Continuation]>([])

        func append(_ event: ReceiverEvent) {
            events.withLock { $0.append(event) }
            for one in waiting.withLock(\.self) { one.yield() }
        }
    }

    /// Returns when peers can come.
    init() async throws {
        let receiver = FirmwareReceiver(
            at: .socket(directory.socket.string),
            storingIn: store,
            accepting: .anyDevice
        )
        serving = Task { [log] in
            for try await event in receiver.events() { log.append(event) }
        }
        try await awaits { if case .listening = $0.kind { true } else { false } }
    }

    deinit { serving.cancel() }

    var path: String { directory.socket.string }
    var target: Target { .socket(path) }
    var events: [ReceiverEvent] { log.events.withLock { $0 } }

    /// A peer whose link is slow enough to be stopped in the middle.
    var slowTarget: Target {
        let path = directory.socket
        return .transport("slow") { Slowed(try await SocketTransport.connect(path: path)) }
    }

    /// Waits for an event; the time limit of the suite ends it.
    func awaits(_ isMeant: (ReceiverEvent) -> Bool) async throws {
        let (changes, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        log.waiting.withLock { $0.append(continuation) }
        // The event may have come before this wait.
        continuation.yield()
        for await _ in changes where events.contains(where: isMeant) { return }
        throw CancellationError()
    }

    /// Ends the receiver.
    ///
    /// - Throws: what it throws then.
    func end() async throws {
        serving.cancel()
        try await serving.value
    }
}
