import Synchronization
import Testing

@testable import DBus

/// Signals from one connection to another.
@Suite(.timeLimit(.minutes(2)))
struct BusSignalTests {
    @Test("A thousand signals arrive in order, and before the answer of a call made after them")
    func order() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject { [server = pair.server] call in
            Task {
                for number in 0..<UInt32(1_000) {
                    try await server.emit(
                        "Tick",
                        of: BusPair.interface,
                        at: BusPair.path,
                        [.uint32(number)]
                    )
                }
                call.reply()
            }
        }
        try await pair.export(object)
        let signals = Recorder<BusMessage>()
        let subscription = pair.client.onSignal { signals.append($0) }
        pair.client.add(pair.rule)
        _ = try await pair.call("Start")
        let ticks = signals.elements.filter { $0.member == "Tick" }
        #expect(ticks.compactMap(\.body.first?.integer) == Array(0..<1_000))
        let first = try #require(ticks.first)
        #expect(first.kind == .signal && first.sender == pair.serverName)
        #expect(first.interface == BusPair.interface && first.path == BusPair.path)
        subscription.end()
    }

    @Test(
        "Only what a rule asks for arrives",
        arguments: ["it's", "'", "a'b'c", "", "\\", "ü,x='"]
    )
    func rules(_ text: String) async throws {
        let pair = try await BusPair()
        let signals = Recorder<BusMessage>()
        let subscription = pair.client.onSignal { signals.append($0) }
        let rule = MatchRule(
            sender: pair.serverName,
            interface: BusPair.interface,
            member: "Wanted",
            namespace: ObjectPath("/thing"),
            firstArgument: text
        )
        pair.client.add(rule)
        try await pair.client.settle()
        for (path, member, argument) in [
            ("/thing", "Other", text), ("/thingy", "Wanted", text),
            ("/thing", "Wanted", text + "x"),
            ("/thing", "Wanted", text), ("/thing/below", "Wanted", text),
        ] {
            let path = ObjectPath(path)!
            try await pair.emit(member, at: path, [.string(argument)])
        }
        _ = try await signals.first(2)
        try await pair.client.settle()
        let wanted = signals.elements.filter { $0.interface == BusPair.interface }
        #expect(wanted.map(\.path?.text) == ["/thing", "/thing/below"])
        subscription.end()
    }

    @Test("A dropped subscription hears nothing any more, and another goes on")
    func dropped() async throws {
        let pair = try await BusPair()
        pair.client.add(pair.rule)
        let (first, second) = (Recorder<BusMessage>(), Recorder<BusMessage>())
        let lasting = pair.client.onSignal { second.append($0) }
        var passing: BusSubscription? = pair.client.onSignal { first.append($0) }
        try await pair.client.settle()
        let before = second.elements.count
        try await pair.emit("One")
        try await second.first(before + 1)
        try await pair.client.settle()
        let count = first.elements.count
        #expect(first.elements.last?.member == "One")
        withExtendedLifetime(passing) {}
        passing = nil
        try await pair.emit("Two")
        try await second.first(before + 2)
        #expect(first.elements.count == count)

        // One that is dropped before it was registered, and one that ends itself.
        _ = pair.client.onSignal { first.append($0) }
        let own = Mutex<BusSubscription?>(nil)
        let box = Box(own)
        let ending = Recorder<BusMessage>()
        box.own.withLock { own in
            own = pair.client.onSignal { message in
                ending.append(message)
                let subscription = box.own.withLock { $0.take() }
                subscription?.end()
            }
        }
        try await pair.client.settle()
        for _ in 0..<3 { try await pair.emit("Three") }
        try await second.first(before + 5)
        #expect(first.elements.count == count && ending.elements.count == 1)
        lasting.end()
        lasting.end()
    }

    @Test("The state is told at once, and once for each change")
    func state() async throws {
        let bus = try PrivateBus()
        let connection = try await bus.connect()
        let states = Recorder<BusState>()
        let subscription = connection.onState { states.append($0) }
        let name = try await connection.currentName()
        #expect(try await states.first(1) == [.connected(uniqueName: name)])
        connection.close()
        #expect(try await states.first(2)[1] == .disconnected("closed by this side"))
        subscription.end()
    }

    @Test("pitfall 23: a bus that takes nothing suspends who emits; all arrives when it goes on")
    func backpressure() async throws {
        let pair = try await BusPair()
        let signals = Recorder<Int>()
        let subscription = pair.client.onSignal { message in
            if message.member == "Kilo" { signals.append(message.body[0].integer ?? -1) }
        }
        pair.client.add(pair.rule)
        try await pair.client.settle()
        let sent = Recorder<Int>()
        pair.bus.pause()
        let emitting = Task {
            for number in 0..<10_000 {
                let body: [BusValue] = [
                    .int32(Int32(number)), .bytes([UInt8](repeating: 7, count: 1024)),
                ]
                try await pair.emit("Kilo", body)
                sent.append(number)
            }
        }
        // Cancelled ones leave nothing behind, and do not make room for others.
        try await until { sent.elements.count > 200 }
        try await pair.server.standStill { sent.elements.count }
        let count = sent.elements.count
        for _ in 0..<50 {
            let given = Task { try await pair.emit("GivenUp", [.bytes([0])]) }
            given.cancel()
            await #expect(throws: BusError.cancelled) { try await given.value }
        }
        // 256 KiB of ours, and what a socket of Linux holds.
        #expect(sent.elements.count == count && count < 2_000)
        pair.bus.resume()
        try await emitting.value
        #expect(try await signals.first(10_000) == Array(0..<10_000))
        subscription.end()
    }
}

private final class Box: Sendable {
    let own: Mutex<BusSubscription?>
    init(_ own: consuming Mutex<BusSubscription?>) { self.own = own }
}

extension BusPair {
    fileprivate func emit(
        _ member: String,
        at path: ObjectPath = BusPair.path,
        _ body: [BusValue] = []
    ) async throws(BusError) {
        try await server.emit(member, of: Self.interface, at: path, body)
    }
}

extension BusConnection {
    /// Waits until a count stays as it is for a hundred turns of this connection's loop.
    fileprivate func standStill(_ count: () -> Int) async throws {
        var (last, stillCount) = (-1, 0)
        while stillCount < 100 {
            let turned = PendingCall()
            after(.milliseconds(1)) { turned.end(.success([])) }
            _ = await turned.wait()
            let now = count()
            stillCount = now == last ? stillCount + 1 : 0
            last = now
        }
    }
}
