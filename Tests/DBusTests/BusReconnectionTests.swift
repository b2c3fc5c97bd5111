import Glibc
import Testing

@testable import DBus

/// A bus that goes away and comes back.
@Suite(.timeLimit(.minutes(2)))
struct BusReconnectionTests {
    @Test("A killed bus fails what waits, and everything works again on the next one")
    func killed() async throws {
        let pair = try await BusPair()
        let silent = ScriptedObject.silent()
        try await pair.export(silent)
        try await pair.export(ScriptedObject.echoing(), at: ObjectPath("/echo")!)
        let states = Recorder<BusState>()
        let signals = Recorder<BusMessage>()
        let subscriptions = [
            pair.client.onState { states.append($0) },
            pair.client.onSignal { if $0.member == "Tick" { signals.append($0) } },
        ]
        pair.client.add(MatchRule(sender: "test.Server", interface: BusPair.interface))
        try await states.first(1)

        let waiting = (0..<120).map { _ in Task { try await pair.call("Never") } }
        try await silent.calls.first(BusWorker.callCountMax)
        pair.bus.kill()
        for task in waiting {
            await #expect(throws: BusError.disconnected("the bus closed the connection")) {
                try await task.value
            }
        }
        // An answer to a call of the old bus must not reach anybody on the new one.
        let late = silent.calls.elements
        await #expect(throws: BusError.self) { try await pair.client.settle() }

        try pair.bus.start()
        let serverName = try await pair.server.comeBack()
        _ = try await pair.client.comeBack()
        for call in late { call.reply([.string("too late")]) }
        let echo = MethodCall(
            serverName,
            at: ObjectPath("/echo")!,
            "test.Thing",
            "Echo",
            [.byte(4)]
        )
        #expect(try await pair.client.call(echo) == [.byte(4)])

        let own = BusConnection.busCall("RequestName", [.string("test.Server"), .uint32(0)])
        #expect(try await pair.server.call(own) == [.uint32(1)])
        try await pair.client.settle()
        try await pair.server.emit("Tick", of: BusPair.interface, at: BusPair.path, [])
        #expect(try await signals.first(1)[0].member == "Tick")

        let seen = states.elements
        #expect(seen.count >= 3 && zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
        #expect(seen[1] == .disconnected("the bus closed the connection"))
        guard case .connected = seen.last else {
            Issue.record("it ends with \(seen)")
            return
        }
        for subscription in subscriptions { subscription.end() }
    }

    @Test("While there is no bus, everything fails at once with a sentence")
    func away() async throws {
        let pair = try await BusPair()
        pair.bus.kill()
        let states = Recorder<BusState>()
        let subscription = pair.client.onState { states.append($0) }
        try await until {
            if case .disconnected = states.elements.last { true } else { false }
        }
        for _ in 0..<3 {
            let error = await #expect(throws: BusError.self) { try await pair.call("Any") }
            guard case .disconnected(let reason) = error else {
                Issue.record("it is \(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
        }
        await #expect(throws: BusError.self) {
            try await pair.client.emit("Tick", of: BusPair.interface, at: BusPair.path, [])
        }
        pair.client.post(pair.makeCall("Lost"))
        subscription.end()
    }

    @Test("What was exported and asked for without a bus is there when it comes")
    func preparedWithoutBus() async throws {
        let pair = try await BusPair()
        pair.bus.kill()
        await #expect(throws: BusError.self) {
            while true { try await pair.server.settle() }
        }
        pair.server.export(ScriptedObject.echoing(), at: BusPair.path)
        pair.client.add(
            MatchRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus")
        )
        let signals = Recorder<BusMessage>()
        let subscription = pair.client.onSignal { signals.append($0) }
        try pair.bus.start()
        let name = try await pair.server.comeBack()
        _ = try await pair.client.comeBack()
        let echo = MethodCall(name, at: BusPair.path, BusPair.interface, "Echo", [.byte(1)])
        #expect(try await pair.client.call(echo) == [.byte(1)])
        let own = BusConnection.busCall("RequestName", [.string("test.Server"), .uint32(0)])
        _ = try await pair.server.call(own)
        try await until {
            signals.elements.contains {
                $0.member == "NameOwnerChanged" && $0.body.first?.text == "test.Server"
            }
        }
        subscription.end()
    }

    @Test("Many restarts in a row are all survived")
    func restarts() async throws {
        let pair = try await BusPair()
        try await pair.export(ScriptedObject.echoing())
        for round in 0..<UInt8(5) {
            pair.bus.kill()
            try pair.bus.start()
            let name = try await pair.server.comeBack()
            _ = try await pair.client.comeBack()
            let echo = MethodCall(name, at: BusPair.path, BusPair.interface, "Echo", [.byte(round)])
            #expect(try await pair.client.call(echo) == [.byte(round)])
        }
    }
}

extension BusConnection {
    /// Waits until it speaks with a bus again; returns its name there.
    fileprivate func comeBack() async throws -> String {
        while true {
            do {
                try await settle()
                return try await currentName()
            } catch BusError.disconnected {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }
}
