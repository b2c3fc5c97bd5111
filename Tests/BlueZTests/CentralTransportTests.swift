import BLEOTABlueZ
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
        #expect(arrived == [InboundDatagram(channel: .data, bytes: [1])])
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
        var arrived: [InboundDatagram] = []
        while arrived.count < 2 { arrived += try await bench.link.receive() }
        #expect(
            arrived == [
                InboundDatagram(channel: .control, bytes: [4]),
                InboundDatagram(channel: .data, bytes: [5]),
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
        for (path, interfaces) in Fake.updateObjects() {
            try await bench.daemon.add(path, interfaces)
        }
        #expect(try await connecting.value.closeReason == nil)
    }

    @Test("a device that does not run bleota is an error, and is not kept connected")
    func noService() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.update) }
        let device = try bench.device
        await #expect(throws: BlueZError.objectGone("The bleota service of lamp")) {
            _ = try await CentralTransport.connect(to: device)
        }
        try await bench.daemon.called("Disconnect")
        try await until { !device.isConnected }
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
