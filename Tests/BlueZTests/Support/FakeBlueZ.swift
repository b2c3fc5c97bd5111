import DBus
import Synchronization

/// A Bluetooth daemon without Bluetooth, which does what a test says: it has objects, tells of
/// their changes, and answers calls as the real one does unless it is scripted otherwise.
final class FakeBlueZ: Sendable {
    typealias Interfaces = [String: [String: BusValue]]

    private struct Method: Hashable {
        let member: String
        /// Any object, if `nil`.
        let path: ObjectPath?
    }

    private struct State {
        var connection: BusConnection?
        var objects: [ObjectPath: Interfaces] = [:]
        var next: [Method: [FakeAnswer]] = [:]
        var standing: [Method: FakeAnswer] = [:]
        var isDiscovering = false
        /// Whether it tells that a device is connected; 5.66 does not always.
        var tellsConnected = true
        var tellsResolved = true
        var sockets: [FakeSocket] = []
        var offers: [ObjectPath: FakeOffer] = [:]
        var serving: Task<Void, Never>?
    }

    /// Hands everything that arrives to the daemon.
    private final class Mailbox: BusObject {
        private let calls: AsyncStream<IncomingCall>.Continuation

        init(_ calls: AsyncStream<IncomingCall>.Continuation) { self.calls = calls }

        func take(_ call: IncomingCall) { calls.yield(call) }
    }

    /// What it got, in its order.
    let calls = Recorder<FakeCall>()
    private let bus: PrivateBus
    private let state = Mutex(State())
    private let mailbox: Mailbox
    private let incoming: AsyncStream<IncomingCall>.Continuation

    /// A daemon that does not run yet.
    init(on bus: PrivateBus) {
        self.bus = bus
        let (arriving, incoming) = AsyncStream.makeStream(of: IncomingCall.self)
        self.incoming = incoming
        mailbox = Mailbox(incoming)
        let serving = Task { [weak self] in
            for await call in arriving { await self?.serve(call) }
        }
        state.withLock { $0.serving = serving }
    }

    deinit { incoming.finish() }

    // MARK: - Running

    /// Connects and takes its name.
    func start() async throws {
        let connection = try await bus.connect()
        let paths = state.withLock { state in
            state.connection = connection
            return state.objects.keys
        }
        connection.export(mailbox, at: .root)
        for path in paths { connection.export(mailbox, at: path) }
        try await takeName(connection)
    }

    /// The bus may still hold the name for this daemon's last connection: it closed the connection
    /// before, but the bus need not have seen that yet. Each question gives it a turn to see it.
    private func takeName(_ connection: BusConnection) async throws {
        let doNotQueue: BusValue = .uint32(4)
        let isOwner = 1
        for _ in 0..<10_000 {
            let body: [BusValue] = [.string("org.bluez"), doNotQueue]
            let answer = try await connection.call(Self.busCall("RequestName", body))
            if answer.first?.integer == isOwner { return }
        }
        preconditionFailure("somebody else is org.bluez")
    }

    /// Ends as if it had crashed: nobody is told but by the bus.
    func stop() {
        let connection = state.withLock { state in
            state.isDiscovering = false
            state.offers = [:]
            for socket in state.sockets { socket.close() }
            return state.connection.take()
        }
        connection?.close()
    }

    static func busCall(_ member: String, _ body: [BusValue] = []) -> MethodCall {
        let path = ObjectPath("/org/freedesktop/DBus")!
        return MethodCall("org.freedesktop.DBus", at: path, "org.freedesktop.DBus", member, body)
    }

    /// Its connection while it runs.
    var connection: BusConnection {
        get throws {
            guard let connection = state.withLock({ $0.connection }) else {
                throw BusError.disconnected("the fake daemon does not run")
            }
            return connection
        }
    }

    // MARK: - Scripts

    /// What it does with the next calls of a method, one after the other.
    func answer(_ member: String, at path: ObjectPath? = nil, _ answers: FakeAnswer...) {
        let method = Method(member: member, path: path)
        state.withLock { $0.next[method, default: []] += answers }
    }

    /// What it does with all calls of a method from now on.
    func always(_ member: String, at path: ObjectPath? = nil, _ answer: FakeAnswer) {
        state.withLock { $0.standing[Method(member: member, path: path)] = answer }
    }

    /// Keeps back the answers of a method until the gate is opened.
    func hold(_ member: String, at path: ObjectPath? = nil) -> FakeGate {
        let gate = FakeGate()
        always(member, at: path, .held(gate))
        return gate
    }

    /// It does not tell when a device is connected, or when its services are known.
    func keepsSilent(aboutConnected: Bool = false, aboutResolved: Bool = false) {
        state.withLock { state in
            state.tellsConnected = !aboutConnected
            state.tellsResolved = !aboutResolved
        }
    }

    private func nextAnswer(_ member: String, _ path: ObjectPath) -> FakeAnswer {
        state.withLock { state in
            for method in [Method(member: member, path: path), Method(member: member, path: nil)] {
                if state.next[method]?.isEmpty == false {
                    return state.next[method]!.removeFirst()
                }
                if let standing = state.standing[method] { return standing }
            }
            return .usual
        }
    }

    // MARK: - Calls

    private func serve(_ call: IncomingCall) async {
        let message = call.message
        guard let path = message.path, let member = message.member else { return }
        let kept = FakeCall(
            path: path,
            interface: message.interface ?? "",
            member: member,
            body: message.body
        )
        let answer = nextAnswer(member, path)
        calls.append(kept)
        await give(answer, to: call, kept)
    }

    private func give(_ answer: FakeAnswer, to call: IncomingCall, _ kept: FakeCall) async {
        switch answer {
        case .usual: await perform(kept, call)
        case .error(let name, let text): call.fail(name, text)
        case .body(let body): call.reply(body)
        case .silence: break
        case .held(let gate): await gate.pass { [weak self] in await self?.perform(kept, call) }
        case .doing(let work, let then):
            try? await work(self)
            await give(then, to: call, kept)
        }
    }

    /// The calls of a method that came so far.
    func calls(of member: String, at path: ObjectPath? = nil) -> [FakeCall] {
        calls.elements.filter { $0.member == member && (path == nil || $0.path == path) }
    }

    /// Waits until a method was called so often.
    @discardableResult
    func called(
        _ member: String,
        at path: ObjectPath? = nil,
        times count: Int = 1
    ) async throws -> [FakeCall] {
        try await until { calls(of: member, at: path).count >= count }
        return calls(of: member, at: path)
    }

    // MARK: - What it has

    /// Its objects, or what is kept with them.
    var objects: [ObjectPath: Interfaces] { state.withLock { $0.objects } }

    /// The sockets that it gave away, in their order.
    var sockets: [FakeSocket] { state.withLock { $0.sockets } }

    /// What others registered with it.
    var offers: [ObjectPath: FakeOffer] { state.withLock { $0.offers } }

    var tells: (connected: Bool, resolved: Bool) {
        state.withLock { ($0.tellsConnected, $0.tellsResolved) }
    }

    func keep(_ socket: FakeSocket) { state.withLock { $0.sockets.append(socket) } }

    func keep(_ offer: FakeOffer?, at path: ObjectPath) {
        state.withLock { $0.offers[path] = offer }
    }

    func updateObjects(_ body: (inout [ObjectPath: Interfaces]) -> Void) {
        state.withLock { body(&$0.objects) }
    }

    /// Whether it was so already.
    func setDiscovering(_ isOn: Bool) -> Bool {
        state.withLock { state in
            defer { state.isDiscovering = isOn }
            return state.isDiscovering == isOn
        }
    }

    func export(at path: ObjectPath) throws { try connection.export(mailbox, at: path) }
}
