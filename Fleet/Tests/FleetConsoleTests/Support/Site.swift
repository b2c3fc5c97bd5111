import FleetConsole
import FleetMetrics
import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Synchronization

/// A server with a fleet, and a console before it.
final class Site: Sendable {
    let server: TestServer
    let store: FleetStore
    let token = Secret.random()
    private let console: Task<Void, Never>
    let client: HTTPClient

    init(isBehindTLS: Bool = false) async throws {
        server = try await TestServer()
        store = try await FleetStore.create(on: try await server.connect(), replicas: .one)
        let console = FleetConsole.Console(
            store: try await FleetStore.open(on: try await server.connect()),
            options: .init(
                address: ListenAddress("127.0.0.1:0")!,
                token: token,
                isBehindTLS: isBehindTLS
            ),
            metrics: MetricsRegistry()
        )
        let (ports, place) = AsyncStream.makeStream(of: UInt16.self)
        self.console = Task {
            do { try await console.run { place.yield($0.port) } } catch { print("\(error)") }
            place.finish()
        }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else {
            throw ChildProcess.Failure(description: "the console ended")
        }
        client = HTTPClient(port: port)
    }

    deinit { console.cancel() }

    /// Waits until the console has ended by itself or been told to.
    func end() async {
        console.cancel()
        await console.value
    }

    /// Logs in, and returns the header of the session's requests.
    func logIn() async throws -> [String: String] {
        let answer = try await client.post("/login", "token=\(token.text)")
        guard answer.status == 303, let cookie = answer.cookie else {
            throw ChildProcess.Failure(description: "no session: \(answer)")
        }
        return ["Cookie": cookie]
    }

    /// What a form of a page brings along.
    func formSecret(_ session: [String: String]) async throws -> String {
        let page = try await client.get("/", session).body
        guard let match = page.firstMatch(of: /name="secret" value="([0-9a-f]+)"/) else {
            throw ChildProcess.Failure(description: "no form: \(page)")
        }
        return "secret=\(match.output.1)"
    }

    /// Waits until a page has a text.
    func await(_ text: String, on path: String, _ session: [String: String]) async throws {
        try await eventually("\(path) has \(text)") {
            try await self.client.get(path, session).body.contains(text)
        }
    }

    func phase(_ id: CampaignID = Sample.spring) async throws -> CampaignPhase {
        try await store.campaigns.get(id).value.phase
    }
}
