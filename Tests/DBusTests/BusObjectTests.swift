import Testing

@testable import DBus

/// Objects that we offer.
@Suite(.timeLimit(.minutes(2)))
struct BusObjectTests {
    @Test("A call may be answered later, from another task, and only the first answer counts")
    func answeredLater() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject.silent()
        try await pair.export(object)
        async let answer = pair.call("Later")
        let call = try await object.calls.first(1)[0]
        await Task.detached {
            call.reply([.string("first")])
            call.reply([.string("second")])
            call.fail("test.Error.Third")
        }.value
        #expect(try await answer == [.string("first")])
        // Other answers would have come before this one.
        async let next = pair.call("Next")
        try await object.calls.first(2)[1].reply()
        #expect(try await next == [])
    }

    @Test("A call that wants no answer gets none, whatever the object says")
    func unwantedAnswer() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject { $0.fail("test.Error.Unwanted") }
        try await pair.export(object)
        pair.client.post(pair.makeCall("Post"))
        try await object.calls.first(1)
        let name = await pair.errorName { try await pair.call("Call") }
        #expect(name == "" && object.calls.elements.count == 2)
    }

    @Test("Two objects get their own calls, and one that is removed is unknown")
    func twoObjects() async throws {
        let pair = try await BusPair()
        let other = ObjectPath("/thing/other")!
        let (first, second) = (ScriptedObject.echoing(), ScriptedObject.echoing())
        try await pair.export(first)
        try await pair.export(second, at: other)
        _ = try await pair.call("First")
        _ = try await pair.call("Second", at: other)
        #expect(first.calls.elements.map(\.message.member) == ["First"])
        #expect(second.calls.elements.map(\.message.member) == ["Second"])

        pair.server.removeObject(at: BusPair.path)
        try await pair.server.settle()
        let name = await pair.errorName { try await pair.call("Third") }
        #expect(name == "org.freedesktop.DBus.Error.UnknownObject")
        #expect(try await pair.call("Fourth", at: other) == [])
        try await pair.export(second)
        #expect(try await pair.call("Fifth") == [])
        #expect(second.calls.elements.map(\.message.member) == ["Second", "Fourth", "Fifth"])
    }

    @Test("An answer with a closed descriptor is an error for the caller, not for us")
    func closedDescriptor() async throws {
        let pair = try await BusPair()
        let closed = BusDescriptor(owning: -1)
        try await pair.export(ScriptedObject { $0.reply([.descriptor(closed)]) })
        let name = await pair.errorName { try await pair.call("Any") }
        #expect(name == "org.freedesktop.DBus.Error.Failed")
    }

    @Test("A ping is answered, with and without an object there")
    func ping() async throws {
        let pair = try await BusPair()
        let ping = MethodCall(pair.serverName, at: .root, "org.freedesktop.DBus.Peer", "Ping")
        #expect(try await pair.client.call(ping) == [])
    }

    @Test("A connection may call itself")
    func itself() async throws {
        let pair = try await BusPair()
        try await pair.export(ScriptedObject.echoing())
        #expect(try await pair.server.call(pair.makeCall("Echo", [.byte(3)])) == [.byte(3)])
    }
}
