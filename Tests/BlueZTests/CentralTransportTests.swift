import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

@Suite("A link as central", .timeLimit(.minutes(1)))
struct CentralTransportTests {
    @Test(
        "pitfalls 4 and 14: values are as long as the MTU allows, and no more than 510 bytes",
        arguments: [(23, 20), (247, 244), (512, 509), (513, 510), (514, 510), (517, 510)]
    )
    func limits(_ attMTU: UInt16, _ byteCountMax: Int) async throws {
        let bench = try await TransportBench(attMTU: attMTU)
        let limits = bench.link.limits
        #expect(limits.attMTU == Int(attMTU))
        #expect(limits.controlByteCountMax == byteCountMax)
        #expect(limits.dataByteCountMax == byteCountMax)
        try await bench.link.send(
            [UInt8](repeating: 1, count: byteCountMax),
            on: .data,
            .withoutResponse
        )
        #expect(bench.socket.take().map(\.count) == [byteCountMax])
        let tooLong = [UInt8](repeating: 1, count: byteCountMax + 1)
        await #expect(
            throws: TransportError.datagramTooLarge(
                byteCount: byteCountMax + 1,
                limit: byteCountMax
            )
        ) {
            try await bench.link.send(tooLong, on: .data, .withoutResponse)
        }
    }

    @Test("pitfall 14: without an MTU the smallest is used")
    func noMTU() async throws {
        #expect(try await TransportBench(attMTU: nil).link.limits.attMTU == 23)
    }

    @Test("pitfall 14: of two MTUs the smaller counts, and a long frame does no harm")
    func staleMTU() async throws {
        let bench = try await TransportBench(attMTU: 517) { daemon in
            daemon.change(Fake.data, Fake.characteristic, quietly: ["MTU": .uint16(100)])
        }
        #expect(bench.link.limits.dataByteCountMax == 97)
        try await bench.sendData(byteCount: 97)
        #expect(bench.socket.take().map(\.count) == [97])
    }

    @Test("the caller's MTU counts if it is smaller")
    func callersMTU() async throws {
        let bench = try await TransportBench(attMTUMax: 100)
        #expect(bench.link.limits.attMTU == 100)
        #expect(bench.link.limits.dataByteCountMax == 97)
    }

    @Test("pitfall 6: an empty datagram is refused, and an empty notification skipped")
    func empty() async throws {
        let bench = try await TransportBench()
        await #expect(throws: TransportError.emptyDatagram) {
            try await bench.link.send([], on: .data, .withoutResponse)
        }
        try await bench.daemon.notify(Fake.dataOut, [])
        try await bench.daemon.notify(Fake.dataOut, [1])
        let arrived = try await bench.link.receive()
        #expect(arrived == [Datagram(channel: .data, bytes: [1])])
    }

    @Test("each channel has its characteristic, and each delivery its way")
    func channels() async throws {
        let bench = try await TransportBench()
        try await bench.link.send([1], on: .control, .withResponse)
        try await bench.link.send([2], on: .data, .withResponse)
        try await bench.link.send([3], on: .data, .withoutResponse)
        let writes = bench.daemon.calls(of: "WriteValue")
        #expect(writes.map(\.path) == [Fake.control, Fake.dataWithResponse])
        #expect(writes.map { $0.options["type"] } == [.string("request"), .string("request")])
        #expect(bench.socket.take() == [[3]])
        try await bench.daemon.notify(Fake.control, [4])
        try await bench.daemon.notify(Fake.dataOut, [5])
        var arrived: [Datagram] = []
        while arrived.count < 2 { arrived += try await bench.link.receive() }
        #expect(
            arrived == [
                Datagram(channel: .control, bytes: [4]),
                Datagram(channel: .data, bytes: [5]),
            ]
        )
    }

    @Test(
        "where there is no socket commands go as calls",
        arguments: [
            FakeAnswer.error("org.bluez.Error.NotSupported", ""),
            .error("org.bluez.Error.NotAuthorized", ""),
            .error("org.freedesktop.DBus.Error.UnknownMethod", "no AcquireWrite"),
            .failed("no sockets"),
            .body([]),
        ]
    )
    func noSocket(_ answer: FakeAnswer) async throws {
        let bench = try await TransportBench { $0.always("AcquireWrite", answer) }
        #expect(!bench.link.usesSocket)
        try await bench.link.send([1, 2], on: .data, .withoutResponse)
        let call = try await bench.daemon.called("WriteValue")[0]
        #expect(call.path == Fake.data)
        #expect(call.body.first == .bytes([1, 2]))
        #expect(call.options["type"] == .string("command"))
    }

    @Test("a characteristic that another program holds takes no writes at all, which is an error")
    func locked() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always(
            "AcquireWrite",
            .error("org.bluez.Error.NotPermitted", "Write acquired")
        )
        await #expect(throws: BlueZError.locked) {
            _ = try await CentralTransport.connect(to: bench.device)
        }
    }

    @Test("pitfall 12: a service that is told late is waited for")
    func lateService() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.update) }
        let device = try bench.device
        let connecting = Task { try await CentralTransport.connect(to: device) }
        try await until { device.isResolved }
        try await bench.daemon.addUpdateService()
        #expect(try await connecting.value.closeReason == nil)
    }

    @Test("a device that does not run bleota is an error, and is not kept connected")
    func noService() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.update) }
        let device = try bench.device
        await #expect(throws: BlueZError.missing("bleota service")) {
            _ = try await CentralTransport.connect(to: device)
        }
        try await bench.daemon.called("Disconnect")
        try await until { !device.isConnected }
    }

    //= GATT-1
    /// A push over Bluetooth to a microcontroller that left DataOut out, as it may, ended with "is
    /// not there any more".
    @Test(
        "what a device may leave out is not missed",
        arguments: [
            [Fake.dataOut], [Fake.dataWithResponse], [Fake.dataOut, Fake.dataWithResponse],
        ]
    )
    func optional(_ absent: [ObjectPath]) async throws {
        let bench = try await TransportBench { daemon in
            for path in absent { try await daemon.remove(path) }
        }
        try await bench.link.send([1], on: .control, .withResponse)
        try await bench.link.send([2], on: .data, .withoutResponse)
        #expect(bench.daemon.calls(of: "WriteValue").map(\.path) == [Fake.control])
        #expect(bench.socket.take() == [[2]])
        try await bench.daemon.notify(Fake.control, [3])
        #expect(try await bench.link.receive() == [Datagram(channel: .control, bytes: [3])])
        #expect(bench.link.closeReason == nil)
        bench.link.close(.local)
        await bench.link.awaitEnd()
        let told = bench.daemon.calls(of: "StopNotify").map(\.path)
        #expect(
            told == (absent.contains(Fake.dataOut) ? [Fake.control] : [Fake.control, Fake.dataOut])
        )
    }

    @Test("a link that only sends does not subscribe to what a device sends to all")
    func onlySends() async throws {
        let bench = try await BlueZBench(attMTU: 247)
        let link = try await CentralTransport.connect(to: bench.device, receives: false)
        #expect(bench.daemon.calls(of: "StartNotify").map(\.path) == [Fake.control])
        link.close(.local)
        await link.awaitEnd()
        #expect(bench.daemon.calls(of: "StopNotify").map(\.path) == [Fake.control])
    }

    @Test("a device that refuses the subscription to images, without a bond, wants to be paired")
    func imagesWantPairing() async throws {
        let bench = try await BlueZBench(attMTU: 247)
        let refusal = FakeAnswer.failed("Operation failed with ATT error: 0x0e")
        bench.daemon.answer("StartNotify", at: Fake.dataOut, refusal)
        let error = await #expect(throws: BlueZError.self) {
            _ = try await CentralTransport.connect(to: bench.device)
        }
        #expect(error == .needsPairing)
    }

    @Test("data with response to a device that takes none ends the link and says why")
    func noResponses() async throws {
        let bench = try await TransportBench { try await $0.remove(Fake.dataWithResponse) }
        let error = await #expect(throws: TransportError.self) {
            try await bench.link.send([1], on: .data, .withResponse)
        }
        guard case .closed(.refused(let sentence)) = error else {
            throw try #require(error)
        }
        #expect(sentence.contains("no characteristic DataWithResponse"))
    }

    @Test(
        "the error calls a mandatory characteristic missing, not gone",
        arguments: [
            (Fake.info, "Info (7a3d0002"), (Fake.control, "Control (7a3d0003"),
            (Fake.data, "Data (7a3d0004"),
        ]
    )
    func mandatory(_ path: ObjectPath, _ name: String) async throws {
        let bench = try await BlueZBench { try await $0.remove(path) }
        let device = try bench.device
        let error = await #expect(throws: BlueZError.self) {
            _ = try await CentralTransport.connect(to: device)
        }
        guard case .missing(let what) = error else {
            throw try #require(error)
        }
        #expect(what.contains("characteristic \(name)"))
        try await until { !device.isConnected }
    }

    /// The answer of the daemon to that was passed on with the advice to update BlueZ.
    @Test(
        "the error names the operation that a mandatory characteristic lacks",
        arguments: [
            (Fake.info, [], "reading"), (Fake.control, ["write"], "notifications"),
            (Fake.control, ["notify"], "writing with response"),
            (Fake.data, ["write"], "writing without response"),
        ] as [(ObjectPath, [String], String)]
    )
    func unable(_ path: ObjectPath, _ flags: [String], _ ability: String) async throws {
        let bench = try await BlueZBench { daemon in
            daemon.change(path, Fake.characteristic, quietly: ["Flags": .strings(flags)])
        }
        let device = try bench.device
        let error = await #expect(throws: BlueZError.self) {
            _ = try await CentralTransport.connect(to: device)
        }
        guard case .missing(let what) = error else {
            throw try #require(error)
        }
        #expect(what.hasPrefix("\(ability) for its characteristic"))
    }

    @Test("a task that is cancelled while the link is made leaves none behind")
    func cancelled() async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        let gate = bench.daemon.hold("StartNotify")
        let connecting = Task { try await CentralTransport.connect(to: device) }
        try await until { gate.waitingCount == 1 }
        connecting.cancel()
        await #expect(throws: BlueZError.cancelled) { _ = try await connecting.value }
        try await until { !device.isConnected }
        try await until { bench.daemon.sockets.allSatisfy { $0.isHungUp } }
    }

    @Test(
        "pitfall 3: a link is in order as both ends say, or as the release does by default",
        arguments: [
            ("usb:v1D6Bp0246d0542", nil, nil, false), ("usb:v1D6Bp0246d0543", nil, nil, true),
            ("usb:v1D6Bp0246d0542", 0x05, 0x01, true), ("usb:v1D6Bp0246d0543", 0x07, 0x01, false),
            ("usb:v1D6Bp0246d0543", 0x07, 0x00, true), ("other", nil, nil, false),
        ] as [(String, UInt8?, UInt8?, Bool)]
    )
    func order(_ modalias: String, _ client: UInt8?, _ server: UInt8?, _ isKept: Bool) async throws
    {
        let bench = try await TransportBench { daemon in
            daemon.change(Fake.hci0, Fake.adapter, quietly: ["Modalias": .string(modalias)])
            guard let client, let server else { return }
            let service = Fake.peer.appending("service0001")
            try await daemon.add(
                service,
                [Fake.service: ["UUID": .string(BluetoothUUID(0x1801).text)]]
            )
            for (number, value) in [(UInt16(0x2B29), client), (0x2B3A, server)] {
                let path = service.appending("char\(number)")
                let uuid: BusValue = .string(BluetoothUUID(number).text)
                try await daemon.add(path, [Fake.characteristic: ["UUID": uuid]])
                daemon.always("ReadValue", at: path, .body([.bytes([value])]))
            }
        }
        #expect(bench.link.limits.isOrdered == isKept)
    }
}
