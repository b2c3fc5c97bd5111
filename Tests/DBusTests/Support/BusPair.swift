@testable import DBus

/// Somebody who offers objects, and somebody who calls them, on a bus of their own.
struct BusPair {
    static let interface = "test.Thing"
    static let path = ObjectPath("/thing")!

    let bus: PrivateBus
    let server: BusConnection
    let client: BusConnection
    let serverName: String

    init() async throws {
        bus = try PrivateBus()
        server = try await bus.connect()
        client = try await bus.connect()
        serverName = try await server.currentName()
    }

    /// Offers an object, and returns once it is there.
    func export(_ object: any BusObject, at path: ObjectPath = BusPair.path) async throws {
        server.export(object, at: path)
        try await server.settle()
    }

    func makeCall(
        _ member: String,
        _ body: [BusValue] = [],
        at path: ObjectPath = BusPair.path
    ) -> MethodCall {
        MethodCall(serverName, at: path, Self.interface, member, body)
    }

    func call(
        _ member: String,
        _ body: [BusValue] = [],
        at path: ObjectPath = BusPair.path,
        within limit: Duration? = nil
    ) async throws(BusError) -> [BusValue] {
        try await client.call(makeCall(member, body, at: path), within: limit)
    }

    /// The rule for all signals of the server's object.
    var rule: MatchRule { MatchRule(sender: serverName, interface: Self.interface) }
}

extension BusConnection {
    /// A call to the bus itself.
    static func busCall(_ member: String, _ body: [BusValue] = []) -> MethodCall {
        MethodCall(
            "org.freedesktop.DBus",
            at: ObjectPath("/org/freedesktop/DBus")!,
            "org.freedesktop.DBus",
            member,
            body
        )
    }

    /// Returns once everything that was said to this connection before has reached the bus.
    func settle() async throws { _ = try await call(Self.busCall("GetId")) }

    /// The unique name that the bus has given it.
    func currentName() async throws -> String {
        let states = Recorder<BusState>()
        let subscription = onState { states.append($0) }
        defer { subscription.end() }
        guard case .connected(let name) = try await states.first(1)[0] else {
            throw BusError.disconnected("it is not connected")
        }
        return name
    }
}
