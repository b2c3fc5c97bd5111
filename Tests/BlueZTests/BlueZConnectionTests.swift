import BLEOTA
import BlueZ
import DBus
import Testing

@testable import BLEOTABlueZ

@Suite("A GATT connection for protocols of other makers", .timeLimit(.minutes(1)))
struct BlueZConnectionTests {
    private let bench: BlueZBench
    private let connection: BlueZConnection

    init() async throws {
        bench = try await BlueZBench()
        connection = try await BlueZConnection.open(
            bench.device,
            within: .seconds(20),
            attMTUMax: 517
        )
    }

    /// A characteristic of the device in the service for updates.
    private func characteristic(_ path: ObjectPath) async throws -> GATTCharacteristic {
        let uuid = try #require(try await bench.characteristic(path).uuid?.text)
        return try #require(
            connection.characteristic(uuid, of: Fake.updateService.text)
        )
    }

    @Test("commands go through one socket, whose messages the daemon reads")
    func commands() async throws {
        let data = try await characteristic(Fake.data)
        for value in [[1], [2, 3]] as [[UInt8]] { try await connection.command(value, to: data) }
        #expect(bench.daemon.calls(of: "AcquireWrite").count == 1)
        #expect(bench.daemon.sockets[0].take() == [[1], [2, 3]])
        #expect(bench.daemon.calls(of: "WriteValue").isEmpty)
    }

    @Test(
        "a request waits until the daemon has read the commands before it and closed their socket"
    )
    func requestAfterCommands() async throws {
        let data = try await characteristic(Fake.data)
        try await connection.command([1], to: data)
        let locked = FakeAnswer.error("org.bluez.Error.NotPermitted", "Write acquired")
        bench.daemon.answer("WriteValue", locked, locked)
        let connection = connection
        let request = Task { try await connection.write([2], to: data) }
        let socket = bench.daemon.sockets[0]
        #expect(!socket.isHungUp)
        #expect(socket.take() == [[1]])
        try await request.value
        #expect(socket.isHungUp)
        #expect(bench.daemon.calls(of: "WriteValue").count == 3)
        try await connection.command([3], to: data)
        #expect(bench.daemon.sockets[1].take() == [[3]])
        #expect(connection.closeReason == nil)
    }

    @Test("an ATT error leaves the link up; a lost link ends it")
    func errors() async throws {
        let control = try await characteristic(Fake.control)
        bench.daemon.answer("WriteValue", .failed("Operation failed with ATT error: 0x81"))
        await #expect(throws: GATTError.refused(attError: 0x81)) {
            try await connection.write([1], to: control)
        }
        #expect(connection.closeReason == nil)
        try await bench.daemon.lose(Fake.peer)
        await #expect(throws: GATTError.closed(.remote)) { try await connection.receive() }
        await #expect(throws: GATTError.closed(.remote)) {
            try await connection.write([1], to: control)
        }
    }

    @Test("what arrived before the end is received first")
    func receives() async throws {
        let control = try await characteristic(Fake.control)
        try await connection.subscribe(to: control)
        for value in [[1], [2]] as [[UInt8]] { try await bench.daemon.notify(Fake.control, value) }
        try await bench.daemon.lose(Fake.peer)
        try await until { connection.closeReason != nil }
        let arrived = try await connection.receive()
        #expect(arrived.map(\.value) == [[1], [2]])
        #expect(Set(arrived.map(\.characteristic)) == [control.uuid])
        await #expect(throws: GATTError.closed(.remote)) { try await connection.receive() }
    }

    @Test("closing it disconnects, once")
    func closes() async throws {
        connection.close(.local)
        connection.close(.overflow)
        await connection.awaitEnd()
        #expect(connection.closeReason == .local)
        #expect(bench.daemon.calls(of: "Disconnect").count == 1)
    }

    @Test("a characteristic that the device lacks is named")
    func missing() async throws {
        let other = GATTCharacteristic(service: "s", uuid: "u", properties: [.write])
        await #expect(throws: GATTError.missing("u")) { try await connection.write([1], to: other) }
    }
}
