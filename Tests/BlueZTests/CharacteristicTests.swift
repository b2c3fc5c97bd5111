import Testing

@testable import BlueZ

@Suite("A characteristic of a device", .timeLimit(.minutes(1)))
struct CharacteristicTests {
    @Test("it is read, from an offset if that is not 0")
    func reads() async throws {
        let bench = try await BlueZBench()
        let info = try await bench.characteristic(Fake.info)
        #expect(try await info.read() == Array("value".utf8))
        #expect(bench.daemon.calls(of: "ReadValue")[0].options.isEmpty)
        _ = try await info.read(offset: 7)
        #expect(bench.daemon.calls(of: "ReadValue")[1].options == ["offset": .uint16(7)])
    }

    @Test("a write always says whether it is a request or a command", arguments: WriteKind.allCases)
    func writes(_ kind: WriteKind) async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        try await control.write([1, 2, 3], as: kind)
        let call = bench.daemon.calls(of: "WriteValue")[0]
        #expect(call.body.first == .bytes([1, 2, 3]))
        #expect(call.options == ["type": .string(kind.rawValue)])
        #expect(["request", "command"].contains(kind.rawValue))
    }

    @Test("a command that nobody waits for says that it is one")
    func posts() async throws {
        let bench = try await BlueZBench()
        let data = try await bench.characteristic(Fake.data)
        data.post([1, 2, 3])
        let call = try await bench.daemon.called("WriteValue")[0]
        #expect(call.body.first == .bytes([1, 2, 3]))
        #expect(call.options == ["type": .string("command")])
    }

    @Test("pitfall 4: 512 bytes are written, 513 are refused before the daemon cuts them")
    func tooLong() async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        try await control.write([UInt8](repeating: 7, count: 512), as: .request)
        await #expect(throws: BlueZError.att(.invalidAttributeValueLength)) {
            try await control.write([UInt8](repeating: 7, count: 513), as: .request)
        }
        #expect(bench.daemon.calls(of: "WriteValue").count == 1)
    }

    @Test(
        "pitfalls 8, 9 and 16: an operation that finds another one under way is tried again",
        arguments: ["ReadValue", "WriteValue", "StartNotify"]
    )
    func busy(_ member: String) async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        bench.daemon.answer(
            member,
            .error("org.bluez.Error.InProgress", "In Progress"),
            .failed("Operation already in progress"),
            .error("org.freedesktop.DBus.Error.LimitsExceeded", "too many replies")
        )
        switch member {
        case "ReadValue": _ = try await control.read()
        case "WriteValue": try await control.write([1], as: .request)
        default: _ = try await control.subscribe { _ in }
        }
        #expect(bench.daemon.calls(of: member).count == 4)
    }

    @Test(
        "what the device refuses is an error at once",
        arguments: [
            (FakeAnswer.error("org.bluez.Error.NotPermitted", "Write acquired"), BlueZError.locked),
            (.failed("Operation failed with ATT error: 0x0e"), .att(.unlikelyError)),
            (.failed("Not connected"), .disconnected),
            (.error("org.bluez.Error.NotPermitted", "Not paired"), .needsPairing),
            (
                .error("org.freedesktop.DBus.Error.UnknownObject", "gone"),
                .objectGone(Fake.control.text)
            ),
        ]
    )
    func refused(_ answer: FakeAnswer, _ error: BlueZError) async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        bench.daemon.always("WriteValue", answer)
        await #expect(throws: error) { try await control.write([1], as: .request) }
        #expect(bench.daemon.calls(of: "WriteValue").count == 1)
    }

    @Test("an operation has longer than the 30 seconds that ATT gives a device")
    func patience() async throws {
        // The fake answers when the test says so; that nothing gives up before is in the limit.
        let bench = try await BlueZBench()
        let info = try await bench.characteristic(Fake.info)
        let gate = bench.daemon.hold("ReadValue")
        let reading = Task { try await info.read() }
        try await until { gate.waitingCount == 1 }
        #expect(RemoteCharacteristic.patience > .seconds(30))
        await gate.open()
        #expect(try await reading.value == Array("value".utf8))
    }

    @Test("pitfall 14: the MTU is asked for each time, since nobody tells when it changes")
    func mtuChanges() async throws {
        let bench = try await BlueZBench(attMTU: 23)
        let control = try await bench.characteristic(Fake.control)
        #expect(try await control.attMTU() == 23)
        bench.daemon.change(Fake.control, Fake.characteristic, quietly: ["MTU": .uint16(247)])
        #expect(try await control.attMTU() == 247)
    }

    @Test(
        "pitfall 14: an MTU that is absent or absurd is one that can be",
        arguments: [
            (nil, 23), (0, 23), (22, 23), (517, 517), (518, 517), (65535, 517),
        ] as [(UInt16?, Int)]
    )
    func mtuAbsurd(_ told: UInt16?, _ used: Int) async throws {
        let bench = try await BlueZBench(attMTU: told)
        #expect(try await bench.characteristic(Fake.control).attMTU() == used)
    }

    @Test("notifications come in their order, also those before the answer of StartNotify")
    func notifications() async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        bench.daemon.answer(
            "StartNotify",
            .doing({ try await $0.notify(Fake.control, [0]) }, then: .usual)
        )
        let values = Recorder<[UInt8]>()
        let subscription = try await control.subscribe { values.append($0) }
        for number in UInt8(1)...200 { try await bench.daemon.notify(Fake.control, [number]) }
        try await bench.daemon.notify(Fake.control, [])
        #expect(try await values.first(202) == (UInt8(0)...200).map { [$0] } + [[]])
        #expect(bench.daemon.calls(of: "AcquireNotify").isEmpty, "pitfall 7")
        subscription.end()
        try await control.unsubscribe()
        #expect(bench.daemon.calls(of: "StopNotify", at: Fake.control).count == 1)
    }

    @Test("a subscription that fails leaves no handler")
    func subscriptionFails() async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        bench.daemon.answer("StartNotify", .failed("Operation failed with ATT error: 0x05"))
        let values = Recorder<[UInt8]>()
        await #expect(throws: BlueZError.needsPairing) {
            _ = try await control.subscribe { values.append($0) }
        }
        try await bench.daemon.notify(Fake.control, [1])
        let others = Recorder<[UInt8]>()
        let subscription = try await control.subscribe { others.append($0) }
        try await bench.daemon.notify(Fake.control, [2])
        try await until { others.elements.last == [2] }
        #expect(values.elements.isEmpty)
        subscription.end()
    }

    @Test("a task that is cancelled while it waits for a busy daemon stops trying")
    func cancelled() async throws {
        let bench = try await BlueZBench()
        let control = try await bench.characteristic(Fake.control)
        bench.daemon.always("ReadValue", .error("org.bluez.Error.InProgress", "In Progress"))
        let reading = Task { try await control.read() }
        try await bench.daemon.called("ReadValue", times: 2)
        reading.cancel()
        await #expect(throws: BlueZError.cancelled) { try await reading.value }
    }
}
