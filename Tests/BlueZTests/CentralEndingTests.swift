import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

@Suite("The end of a link as central", .timeLimit(.minutes(1)))
struct CentralEndingTests {
    /// The daemon gives a device 30 seconds to answer, and the call to it has a few more.
    private static let patience = Duration.seconds(30)

    @Test("a device that disconnects is the other side's end, with what arrived before it")
    func disconnected() async throws {
        let bench = try await TransportBench()
        try await bench.daemon.notify(Fake.control, [1])
        try await bench.daemon.lose(Fake.peer)
        #expect(try await bench.end() == .remote)
        #expect(try await bench.link.receive() == [Datagram(channel: .control, bytes: [1])])
        await #expect(throws: TransportError.closed(.remote)) { try await bench.link.receive() }
        await #expect(throws: TransportError.closed(.remote)) {
            try await bench.link.send([1], on: .data, .withoutResponse)
        }
        await #expect(throws: TransportError.closed(.remote)) {
            try await bench.link.send([1], on: .control, .withResponse)
        }
        #expect(bench.daemon.calls(of: "Disconnect").isEmpty)
    }

    @Test("a device that is removed is the other side's end")
    func removed() async throws {
        let bench = try await TransportBench()
        try await bench.daemon.remove(Fake.peer)
        #expect(try await bench.end() == .remote)
    }

    @Test("a device that only loses an interface of its own stays connected")
    func otherInterface() async throws {
        let bench = try await TransportBench()
        let battery = "org.bluez.Battery1"
        try await bench.daemon.add(Fake.peer, [battery: ["Percentage": .byte(50)]])
        try await bench.daemon.remove(Fake.peer, only: [battery])
        try await bench.daemon.notify(Fake.control, [1])
        #expect(try await bench.link.receive() == [Datagram(channel: .control, bytes: [1])])
        #expect(bench.link.closeReason == nil)
    }

    @Test(
        "pitfall 13: services that are removed end the link with that reason",
        arguments: [
            Fake.info, Fake.control, Fake.data, Fake.dataWithResponse, Fake.dataOut,
        ]
    )
    func servicesRemoved(_ path: ObjectPath) async throws {
        let bench = try await TransportBench()
        try await bench.daemon.remove(path)
        #expect(try await bench.end() == .failed("the device's services changed"))
    }

    @Test(
        "pitfall 17: a daemon that goes away is the end, though nobody says that the link is down"
    )
    func daemonGone() async throws {
        let bench = try await TransportBench()
        bench.daemon.stop()
        #expect(try await bench.end() == .failed("the Bluetooth daemon stopped"))
        await bench.link.awaitEnd()
    }

    @Test("pitfall 17: so is a bus that goes away")
    func busGone() async throws {
        let bench = try await TransportBench()
        bench.bench.bus.kill()
        #expect(try await bench.end() == .failed("the Bluetooth daemon stopped"))
    }

    @Test("pitfall 15: an unlikely error is the end of the link if that follows")
    func unlikelyError() async throws {
        let bench = try await TransportBench()
        bench.daemon.answer("WriteValue", .failed("Operation failed with ATT error: 0x0e"))
        let sending = Task { try await bench.link.send([1], on: .control, .withResponse) }
        try await bench.daemon.called("WriteValue")
        try await bench.daemon.lose(Fake.peer)
        await #expect(throws: TransportError.closed(.remote)) { try await sending.value }
    }

    @Test("pitfall 15: and an error of the device if it does not")
    func refused() async throws {
        let bench = try await TransportBench()
        bench.daemon.answer("WriteValue", .failed("Operation failed with ATT error: 0x81"))
        let reason = CloseReason.failed(BlueZError.att(ATTError(rawValue: 0x81)).description)
        await #expect(throws: TransportError.closed(reason)) {
            try await bench.link.send([1], on: .control, .withResponse)
        }
    }

    @Test("pitfall 21: a request that is never answered ends with its link")
    func neverAnswered() async throws {
        let bench = try await TransportBench()
        bench.daemon.always("WriteValue", .silence)
        bench.daemon.always("ReadValue", .silence)
        let sending = Task { try await bench.link.send([1], on: .control, .withResponse) }
        let flushing = Task { try await bench.link.flush() }
        try await bench.daemon.called("WriteValue")
        // Once while the link was made.
        try await bench.daemon.called("ReadValue", times: 2)
        let closedAt = ContinuousClock.now
        bench.link.close(.local)
        await #expect(throws: TransportError.closed(.local)) { try await sending.joined }
        await #expect(throws: TransportError.closed(.local)) { try await flushing.joined }
        #expect(closedAt.duration(to: .now) < Self.patience)
    }

    @Test("pitfall 21: a request that is never answered is the end of a push by its own deadline")
    func silentPush() async throws {
        let bench = try await TransportBench()
        bench.daemon.always("WriteValue", .silence)
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let image = try Firmware(FirmwareFile(bytes: bytes, name: "image"))
        var options = PushOptions()
        options.silenceLimit = .seconds(1)
        let startedAt = ContinuousClock.now
        do throws(TransferError) {
            _ = try await push(image, over: bench.link, options: options)
            Issue.record("it was pushed")
        } catch {
            guard case .silent = error.problem else { throw error }
        }
        #expect(startedAt.duration(to: .now) < Self.patience)
        #expect(bench.daemon.calls(of: "WriteValue").count == 1)
        await bench.link.awaitEnd()
        #expect(try bench.bench.device.isConnected == false)
    }

    @Test("a task that is cancelled while it waits for an answer leaves the link as it is")
    func cancelledWriter() async throws {
        let bench = try await TransportBench()
        bench.daemon.answer("WriteValue", .silence)
        let sending = Task { try await bench.link.send([1], on: .control, .withResponse) }
        try await bench.daemon.called("WriteValue")
        sending.cancel()
        await #expect(throws: TransportError.cancelled) { try await sending.value }
        #expect(bench.link.closeReason == nil)
        try await bench.link.send([2], on: .control, .withResponse)
    }

    @Test("a reader that is too slow for 4,096 notifications ends the link")
    func overflow() async throws {
        let bench = try await TransportBench()
        for number in 0...4_096 {
            try await bench.daemon.notify(Fake.dataOut, [UInt8(truncatingIfNeeded: number)])
        }
        #expect(try await bench.end() == .overflow)
        #expect(try await bench.link.receive().count == 4_096)
        await #expect(throws: TransportError.inboundOverflow(limit: 4_096)) {
            try await bench.link.receive()
        }
    }

    @Test("closing gives the socket and the notifications back, and disconnects")
    func closes() async throws {
        let bench = try await TransportBench()
        let socket = bench.socket
        bench.link.close(.local)
        await #expect(throws: TransportError.closed(.local)) { try await bench.link.receive() }
        try await until { socket.isHungUp }
        await bench.link.awaitEnd()
        #expect(try bench.bench.device.isConnected == false)
        let last = bench.daemon.calls.elements.suffix(3)
        #expect(last.map(\.member) == ["StopNotify", "StopNotify", "Disconnect"])
        #expect(last.prefix(2).map(\.path) == [Fake.control, Fake.dataOut])
        bench.link.close(.remote)
        #expect(bench.link.closeReason == .local)
    }

    @Test("a reader whose task is cancelled goes, and the link stays")
    func cancelledReader() async throws {
        let bench = try await TransportBench()
        let reading = Task { try await bench.link.receive() }
        reading.cancel()
        await #expect(throws: TransportError.cancelled) { _ = try await reading.value }
        #expect(bench.link.closeReason == nil)
        try await bench.link.send([1], on: .control, .withResponse)
    }

    @Test("a link can be made again after it was lost")
    func again() async throws {
        let bench = try await TransportBench()
        try await bench.daemon.lose(Fake.peer)
        #expect(try await bench.end() == .remote)
        let link = try await CentralTransport.connect(to: bench.bench.device)
        try await link.send([1], on: .data, .withoutResponse)
        #expect(bench.daemon.sockets.last?.take() == [[1]])
    }
}
