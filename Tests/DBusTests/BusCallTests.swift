import Synchronization
import Testing

@testable import DBus

/// Calls that are answered, refused, late or given up.
@Suite(.timeLimit(.minutes(2)))
struct BusCallTests {
    private static let failed = "org.freedesktop.DBus.Error."

    @Test("An error answer has the name and the text that the object gave")
    func errorAnswer() async throws {
        let pair = try await BusPair()
        try await pair.export(ScriptedObject { $0.fail("test.Error.Busy", "ask later") })
        await #expect(throws: BusError.answered(name: "test.Error.Busy", message: "ask later")) {
            try await pair.call("Any")
        }
        #expect("\(BusError.answered(name: "a.B", message: ""))" == "a.B")
        #expect("\(BusError.answered(name: "a.B", message: "c"))" == "a.B: c")
    }

    @Test("An object that is not there, and a name that nobody has, are errors of the bus")
    func nobodyThere() async throws {
        let pair = try await BusPair()
        #expect(
            await pair.errorName { try await pair.call("Any") } == Self.failed + "UnknownObject"
        )
        let nobody = MethodCall("test.Nobody", at: .root, "test.Thing", "Any")
        let name = await pair.errorName { try await pair.client.call(nobody) }
        #expect(name == Self.failed + "ServiceUnknown")
        let noMethod = BusConnection.busCall("Dance")
        let method = await pair.errorName { try await pair.client.call(noMethod) }
        #expect(method == Self.failed + "UnknownMethod")
    }

    @Test("A deadline ends a call, its late answer harms nobody, and the next call works")
    func deadline() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject.silent()
        try await pair.export(object)
        await #expect(throws: BusError.deadline) {
            try await pair.call("Late", within: .milliseconds(50))
        }
        try await object.calls.first(1)[0].message.isCall("Late")
        object.calls.elements[0].reply([.byte(1)])
        async let next = pair.call("Next")
        try await object.calls.first(2)[1].reply([.byte(2)])
        #expect(try await next == [.byte(2)])
        // As long as anybody can wait.
        async let last = pair.call("Last", within: .seconds(Int64.max))
        try await object.calls.first(3)[2].reply([.byte(3)])
        #expect(try await last == [.byte(3)])
    }

    @Test("A call of a task that is cancelled already is not sent")
    func cancelledBefore() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject.echoing()
        try await pair.export(object)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pair.call("Never")
        }
        await #expect(throws: BusError.cancelled) { try await task.value }
        _ = try await pair.call("Echo")
        #expect(object.calls.elements.map(\.message.member) == ["Echo"])
    }

    @Test("Cancellation ends the wait at once, and the next call works")
    func cancelledWhileWaiting() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject.silent()
        try await pair.export(object)
        let task = Task { try await pair.call("Slow") }
        try await object.calls.first(1)
        task.cancel()
        await #expect(throws: BusError.cancelled) { try await task.value }
        object.calls.elements[0].reply()
        async let next = pair.call("Next")
        try await object.calls.first(2)[1].reply([.byte(2)])
        #expect(try await next == [.byte(2)])
    }

    @Test("A call that takes longer than the 25 seconds of other libraries is answered")
    func longCall() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject { [server = pair.server] call in
            server.after(.seconds(26)) { call.reply([.string("at last")]) }
        }
        try await pair.export(object)
        #expect(try await pair.call("Long") == [.string("at last")])
    }

    @Test("pitfall 16: more calls at once than a bus allows are all answered, each with its own")
    func manyCalls() async throws {
        let pair = try await BusPair()
        // Answers come in another order, and only once the bus has as many as we let it.
        let object = ScriptedObject.silent()
        try await pair.export(object)
        let answers = try await withThrowingTaskGroup(of: (UInt32, [BusValue]).self) { group in
            for number in 0..<UInt32(300) {
                group.addTask { (number, try await pair.call("Count", [.uint32(number)])) }
            }
            try await object.calls.first(BusWorker.callCountMax)
            var answeredCount = 0
            while answeredCount < 300 {
                let calls = try await object.calls.first(answeredCount + 1)
                let all = object.calls.elements[answeredCount...]
                #expect(all.count <= BusWorker.callCountMax && !calls.isEmpty)
                for call in all.reversed() { call.reply(call.message.body) }
                answeredCount += all.count
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(answers.count == 300)
        for (number, body) in answers { #expect(body == [.uint32(number)]) }
    }

    @Test("Somebody who never answers does not hold up the calls to others")
    func neverAnswered() async throws {
        let pair = try await BusPair()
        let silent = ScriptedObject.silent()
        try await pair.export(silent)
        for round in 1...2 {
            let tasks = (0..<UInt32(90)).map { number in
                Task { try await pair.call("Silent", [.uint32(number)]) }
            }
            // Of the second round only some fit.
            let room = BusWorker.callCountMax - BusWorker.abandonedCountMax
            let calls = try await silent.calls.first(round == 1 ? 90 : 90 + room)
            // First those that have not been sent: else each that ends makes room for one of them,
            // and the bus lets no more than 128 wait.
            let sent = Set(calls.dropFirst(round == 1 ? 0 : 90).map(\.message.body))
            let isSent = (0..<UInt32(90)).map { sent.contains([.uint32($0)]) }
            for which in [false, true] {
                let some = zip(tasks, isSent).filter { $0.1 == which }.map(\.0)
                for task in some { task.cancel() }
                for task in some {
                    await #expect(throws: BusError.cancelled) { try await task.value }
                }
            }
            try await pair.client.settle()
        }
        let room = BusWorker.callCountMax - BusWorker.abandonedCountMax
        #expect(silent.calls.elements.count == 90 + room)
    }

    @Test("A call without an answer is delivered and gets none")
    func posted() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject.echoing()
        try await pair.export(object)
        pair.client.post(pair.makeCall("Post", [.byte(7)]))
        _ = try await pair.call("Echo")
        let messages = object.calls.elements.map(\.message)
        #expect(messages.map(\.member) == ["Post", "Echo"])
        #expect(messages.map(\.expectsReply) == [false, true])
        #expect(messages[0].body == [.byte(7)] && messages[0].path == BusPair.path)
    }

    @Test("Jobs run after their pause, the shorter one first")
    func jobs() async throws {
        let bus = try PrivateBus()
        let connection = try await bus.connect()
        let order = Recorder<Int>()
        connection.after(.milliseconds(60)) { order.append(2) }
        connection.after(.milliseconds(1)) { order.append(1) }
        #expect(try await order.first(2) == [1, 2])
    }
}

extension BusMessage {
    fileprivate func isCall(_ member: String) {
        #expect(kind == .methodCall && self.member == member)
        #expect(interface == BusPair.interface && path == BusPair.path && expectsReply)
    }
}

extension BusPair {
    /// The name of the error that a call is answered with; empty for anything else.
    func errorName(_ body: () async throws -> [BusValue]) async -> String {
        do {
            _ = try await body()
            return ""
        } catch BusError.answered(let name, let message) {
            return message.isEmpty ? "" : name
        } catch {
            return ""
        }
    }
}
