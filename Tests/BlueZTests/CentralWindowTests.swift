import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

/// Pitfalls 1 and 2: the daemon takes everything, and says nothing of what became of it.
@Suite("What the daemon may hold", .timeLimit(.minutes(1)))
struct CentralWindowTests {
    private static let window = CentralTransport.windowByteCount

    /// A link whose barrier reads wait for the test, with a full window, and one more frame on its
    /// way.
    private func fill() async throws -> (TransportBench, FakeGate, Task<Void, any Error>) {
        let bench = try await TransportBench(attMTU: 515)
        let gate = bench.daemon.hold("ReadValue", at: Fake.info)
        try await bench.sendData(byteCount: Self.window)
        #expect(bench.socket.take().reduce(0) { $0 + $1.count } == Self.window)
        let sending = Task { try await bench.sendData(byteCount: 1) }
        try await until { gate.waitingCount == 1 }
        return (bench, gate, sending)
    }

    @Test("pitfall 1: no more than 64 KiB unproven go to the daemon until a read has come back")
    func barrier() async throws {
        let (bench, gate, sending) = try await fill()
        #expect(bench.socket.take().isEmpty)
        await gate.open()
        try await sending.value
        #expect(bench.socket.take().map(\.count) == [1])
        try await bench.sendData(byteCount: Self.window - 1)
    }

    @Test("pitfall 2: proof of the protocol opens the window, by as much as it proves")
    func credit() async throws {
        let (bench, _, sending) = try await fill()
        bench.link.acknowledged(byteCount: 1)
        try await sending.value
        #expect(bench.socket.take().map(\.count) == [1])
        bench.link.acknowledged(byteCount: 500)
        try await bench.sendData(byteCount: 500)
        #expect(bench.socket.take().reduce(0) { $0 + $1.count } == 500)
    }

    @Test("more proof than was sent opens no more than the window")
    func tooMuchCredit() async throws {
        let (bench, gate, sending) = try await fill()
        bench.link.acknowledged(byteCount: 10 * Self.window)
        try await sending.value
        try await bench.sendData(byteCount: Self.window - 1)
        let another = Task { try await bench.sendData(byteCount: 1) }
        _ = bench.socket.take()
        await gate.open()
        try await another.value
    }

    @Test("a window that is full again when an older read comes back is proven by another read")
    func staleBarrier() async throws {
        let (bench, gate, sending) = try await fill()
        bench.link.acknowledged(byteCount: Self.window)
        try await sending.value
        try await bench.sendData(byteCount: Self.window - 1)
        let another = Task { try await bench.sendData(byteCount: 1) }
        // It waits when the first read is answered, which proves nothing of the second window.
        for _ in 0..<1_000 { await Task.yield() }
        await gate.open()
        try await another.value
        #expect(bench.daemon.calls(of: "ReadValue", at: Fake.info).count == 3)
    }

    @Test("a task that is cancelled while the window is full sends nothing")
    func cancelled() async throws {
        let (bench, gate, sending) = try await fill()
        sending.cancel()
        await #expect(throws: TransportError.cancelled) { try await sending.value }
        await gate.open()
        #expect(bench.socket.take().isEmpty)
    }

    @Test("a link that is lost ends whoever waits for the window")
    func lost() async throws {
        let (bench, _, sending) = try await fill()
        try await bench.daemon.lose(Fake.peer)
        await #expect(throws: TransportError.closed(.remote)) { try await sending.value }
    }

    @Test("a read that fails ends the link with the reason")
    func barrierFails() async throws {
        let bench = try await TransportBench(attMTU: 515)
        bench.daemon.always(
            "ReadValue",
            at: Fake.info,
            .failed("Operation failed with ATT error: 0x02")
        )
        try await bench.sendData(byteCount: Self.window)
        let reason = CloseReason.failed(BlueZError.att(.readNotPermitted).description)
        await #expect(throws: TransportError.closed(reason)) {
            try await bench.sendData(byteCount: 1)
        }
    }

    @Test("flushing waits for a read that goes behind everything")
    func flush() async throws {
        let bench = try await TransportBench()
        let gate = bench.daemon.hold("ReadValue", at: Fake.info)
        try await bench.sendData(byteCount: 10)
        let flushing = Task { try await bench.link.flush() }
        try await until { gate.waitingCount == 1 }
        #expect(bench.socket.take().count == 1)
        await gate.open()
        try await flushing.value
    }

    @Test("the window holds for commands that go as calls too")
    func withoutSocket() async throws {
        let bench = try await TransportBench(attMTU: 515) { daemon in
            daemon.always("AcquireWrite", .error("org.bluez.Error.NotSupported", ""))
        }
        let gate = bench.daemon.hold("ReadValue", at: Fake.info)
        try await bench.sendData(byteCount: Self.window)
        let sending = Task { try await bench.sendData(byteCount: 1) }
        try await until { gate.waitingCount == 1 }
        let count = bench.daemon.calls(of: "WriteValue").count
        #expect(bench.daemon.calls(of: "WriteValue").last?.body.first?.byteArray?.count != 1)
        await gate.open()
        try await sending.value
        try await bench.daemon.called("WriteValue", times: count + 1)
    }
}
