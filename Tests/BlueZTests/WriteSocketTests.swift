import BlueZ
import DBus
import Testing

@Suite("A socket for write commands", .timeLimit(.minutes(1)))
struct WriteSocketTests {
    private func open(_ bench: BlueZBench) async throws -> (WriteSocket, FakeSocket) {
        let socket = try await bench.characteristic(Fake.data).acquireWrite()
        return (socket, bench.daemon.sockets[0])
    }

    @Test("each message arrives as it was sent")
    func sends() async throws {
        let bench = try await BlueZBench()
        let (socket, peer) = try await open(bench)
        #expect(socket.attMTU == 247)
        #expect(socket.byteCountMax == 244)
        let messages = [[1], [2, 3], [UInt8](repeating: 4, count: 244)]
        for message in messages { try await socket.send(message) }
        #expect(peer.take() == messages)
    }

    @Test("no message is longer than a value can be")
    func longest() async throws {
        let bench = try await BlueZBench(attMTU: 517)
        #expect(try await open(bench).0.byteCountMax == 512)
    }

    @Test("while the daemon does not read it waits, and loses nothing")
    func waits() async throws {
        let bench = try await BlueZBench()
        let (socket, peer) = try await open(bench)
        let taken = Recorder<UInt16>()
        // More than a socket holds.
        let count: UInt16 = 2_000
        let sending = Task {
            for number in 0..<count {
                let message = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
                try await socket.send(message + [UInt8](repeating: 0, count: 242))
            }
        }
        while taken.elements.count < count {
            for message in peer.take(atMost: 50) {
                taken.append(UInt16(message[0]) << 8 | UInt16(message[1]))
            }
            await Task.yield()
        }
        try await sending.value
        #expect(taken.elements == Array(0..<count))
    }

    @Test("a task that is cancelled while it waits is done")
    func cancelled() async throws {
        let bench = try await BlueZBench()
        let (socket, _) = try await open(bench)
        let sending = Task {
            while true { try await socket.send([UInt8](repeating: 0, count: 200)) }
        }
        try await bench.client.settle()
        sending.cancel()
        await #expect(throws: BlueZError.cancelled) { try await sending.value }
    }

    @Test("an end that the daemon closed is the end of the link")
    func hungUp() async throws {
        let bench = try await BlueZBench()
        let (socket, peer) = try await open(bench)
        peer.close()
        await #expect(throws: BlueZError.disconnected) { try await socket.send([1]) }
    }

    @Test("an end that the daemon closes while we wait is the end of the link")
    func hungUpWhileWaiting() async throws {
        let bench = try await BlueZBench()
        let (socket, peer) = try await open(bench)
        let sending = Task {
            while true { try await socket.send([UInt8](repeating: 0, count: 200)) }
        }
        try await bench.client.settle()
        peer.close()
        await #expect(throws: BlueZError.disconnected) { try await sending.value }
    }

    @Test("closing it frees it, and ends whoever waits")
    func closes() async throws {
        let bench = try await BlueZBench()
        let (socket, peer) = try await open(bench)
        let sending = Task {
            while true { try await socket.send([UInt8](repeating: 0, count: 200)) }
        }
        try await bench.client.settle()
        socket.close()
        await #expect(throws: BlueZError.disconnected) { try await sending.value }
        // The daemon's connection has let go of the end that it gave away, at its next turn.
        _ = try await bench.daemon.connection.call(FakeBlueZ.busCall("GetId"))
        try await until { peer.isHungUp }
    }

    @Test("dropping it frees it")
    func drops() async throws {
        let bench = try await BlueZBench()
        var socket: WriteSocket? = try await bench.characteristic(Fake.data).acquireWrite()
        let peer = bench.daemon.sockets[0]
        #expect(!peer.isHungUp)
        #expect(socket != nil)
        socket = nil
        _ = try await bench.daemon.connection.call(FakeBlueZ.busCall("GetId"))
        try await until { peer.isHungUp }
    }

    @Test(
        "an answer without a socket is an error",
        arguments: [
            [], [.uint16(247)], [.string("fd"), .uint16(247)],
        ] as [[BusValue]]
    )
    func noSocket(_ body: [BusValue]) async throws {
        let bench = try await BlueZBench()
        let data = try await bench.characteristic(Fake.data)
        bench.daemon.answer("AcquireWrite", .body(body))
        await #expect(throws: BlueZError.failed("AcquireWrite without a socket")) {
            _ = try await data.acquireWrite()
        }
    }
}

extension BlueZClient {
    /// Returns once the bus has answered something else.
    fileprivate func settle() async throws { _ = try await bus.call(FakeBlueZ.busCall("GetId")) }
}
