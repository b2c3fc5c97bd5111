import BLEOTA
import BLEOTABlueZ
import DBus
import Testing

/// Write commands that come past the bus.
@Suite("Sockets of this machine as a device", .timeLimit(.minutes(1)))
struct PeripheralSocketTests {
    private static let data = GATTIdentifiers.data
    private static let control = GATTIdentifiers.control
    private static let otherPeer = ObjectPath("/org/bluez/hci0/dev_00_00_00_00_00_77")!

    /// The daemon asks for a socket, and gets it.
    private func acquire(
        _ member: String,
        of uuid: String,
        by device: ObjectPath = Fake.peer,
        _ daemon: FakeBlueZ
    ) async throws -> DaemonSocket {
        let answer = try await daemon.callOffered(member, of: uuid, by: device)
        #expect(answer.last?.integer == 247)
        return DaemonSocket(try #require(answer.first?.fileDescriptor))
    }

    /// A link, as a central's first frame makes it.
    private func link(
        _ peripheral: Peripheral,
        by device: ObjectPath = Fake.peer,
        _ daemon: FakeBlueZ
    ) async throws -> any Transport {
        try await daemon.callOffered("WriteValue", of: Self.control, [.bytes([1])], by: device)
        let link = try #require(await peripheral.accept())
        #expect(try await link.receive().map(\.bytes) == [[1]])
        return link
    }

    @Test("write commands come over a socket, in order, those of a full socket too")
    func commands() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        let link = try await link(peripheral, bench.daemon)
        let socket = try await acquire("AcquireWrite", of: Self.data, bench.daemon)
        let frames = (0..<LinkCount.unread).map { [UInt8(truncatingIfNeeded: $0)] + LinkCount.rest }
        // The daemon does not wait: what has no room is lost. As much as the credit allows has.
        for frame in frames { #expect(socket.send(frame)) }
        var arrived: [Datagram] = []
        while arrived.count < frames.count { arrived += try await link.receive() }
        #expect(arrived == frames.map { Datagram(channel: .data, bytes: $0) })
        #expect(link.limits.unreadCountMax == LinkCount.unread)
        await peripheral.stop()
    }

    @Test("an empty command is not the end of the socket")
    func emptyCommand() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        let link = try await link(peripheral, bench.daemon)
        let socket = try await acquire("AcquireWrite", of: Self.data, bench.daemon)
        #expect(socket.send([]))
        #expect(socket.send([7]))
        #expect(try await link.receive().map(\.bytes) == [[7]])
        await peripheral.stop()
    }

    @Test("while there is a socket a second is refused, so that its command comes by a call")
    func asksTwice() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        let link = try await link(peripheral, bench.daemon)
        let socket = try await acquire("AcquireWrite", of: Self.data, bench.daemon)
        // Any name that the daemon knows would make it drop the command.
        let refusal = BusError.answered(
            name: "org.bleota.Error.NoSocket",
            message: "The socket is already acquired"
        )
        await #expect(throws: refusal) {
            try await bench.daemon.callOffered("AcquireWrite", of: Self.data)
        }
        try await bench.daemon.callOffered("WriteValue", of: Self.data, [.bytes([2])])
        #expect(try await link.receive().map(\.bytes) == [[2]])
        socket.close()
        // When it has seen the end of the first it gives another.
        var second: DaemonSocket?
        while second == nil {
            second = try? await acquire("AcquireWrite", of: Self.data, bench.daemon)
        }
        #expect(second?.send([3]) == true)
        #expect(try await link.receive().map(\.bytes) == [[3]])
        await peripheral.stop()
    }

    /// A link that was cut while the daemon waited for the socket of its first command made the
    /// daemon keep all data from then on: every push ended with "answers, but the transfer gets no
    /// further".
    @Test("a socket that the daemon closes unused is the last: from then on commands come by calls")
    func unused() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        let link = try await link(peripheral, bench.daemon)
        let path = try bench.daemon.offeredPath(Self.data)
        let invalidated = Recorder<[String]>()
        let listening = try bench.daemon.onPropertiesChanged(at: path) { invalidated.append($0) }
        defer { withExtendedLifetime(listening) {} }
        // One that carried something is nothing special.
        let first = try await acquire("AcquireWrite", of: Self.data, bench.daemon)
        #expect(first.send([7]))
        #expect(try await link.receive().map(\.bytes) == [[7]])
        first.close()
        var second: DaemonSocket?
        while second == nil {
            second = try? await acquire("AcquireWrite", of: Self.data, bench.daemon)
        }
        #expect(try await bench.daemon.offeredProperties(Self.data)["WriteAcquired"] != nil)
        #expect(invalidated.elements.isEmpty)
        second?.close()
        #expect(try await invalidated.first(1) == [["WriteAcquired"]])
        #expect(try await bench.daemon.offeredProperties(Self.data)["WriteAcquired"] == nil)
        try await bench.daemon.callOffered("WriteValue", of: Self.data, [.bytes([8])])
        #expect(try await link.receive().map(\.bytes) == [[8]])
        // Another daemon asks for sockets again.
        bench.daemon.stop()
        try await bench.daemon.start()
        try await until { !bench.daemon.offers.isEmpty }
        #expect(try await bench.daemon.offeredProperties(Self.data)["WriteAcquired"] != nil)
        await peripheral.stop()
    }

    @Test("what comes over a socket goes to all links, since the daemon does not say whose it is")
    func twoCentrals() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        let first = try await link(peripheral, bench.daemon)
        let second = try await link(peripheral, by: Self.otherPeer, bench.daemon)
        let socket = try await acquire("AcquireWrite", of: Self.data, bench.daemon)
        #expect(socket.send([9]))
        #expect(try await first.receive().map(\.bytes) == [[9]])
        #expect(try await second.receive().map(\.bytes) == [[9]])
        await peripheral.stop()
    }

    @Test("a call for a socket without a device is refused, and so is one of what has none")
    func wrongCalls() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        let path = try bench.daemon.offeredPath(Self.data)
        let owner = try #require(bench.daemon.offers[ObjectPath("/org/bleota/app")!]?.owner)
        for options in [[], [BusValue.options([:])], [.byte(1)]] as [[BusValue]] {
            let call = MethodCall(owner, at: path, Fake.characteristic, "AcquireWrite", options)
            await #expect(throws: BusError.self) { try await bench.daemon.connection.call(call) }
        }
        await #expect(throws: BusError.self) {
            try await bench.daemon.callOffered("AcquireNotify", of: Self.control)
        }
        await #expect(throws: BusError.self) {
            try await bench.daemon.callOffered(
                "AcquireWrite",
                of: GATTIdentifiers.dataWithResponse
            )
        }
        await peripheral.stop()
    }
}

private enum LinkCount {
    /// As many as a sender may have on their way.
    static let unread = 128
    /// The longest frame there is, less a byte.
    static let rest = [UInt8](repeating: 0xA5, count: 509)
}
