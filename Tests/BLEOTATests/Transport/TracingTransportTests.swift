import Synchronization
import Testing

@testable import BLEOTA

/// What a trace tells, and its lines of text.
@Suite(.timeLimit(.minutes(2)))
struct TracingTransportTests {
    @Test("Both directions are told in order, the question before its answer")
    func records() async throws {
        let (a, b) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 23))
        let log = Mutex<[TraceRecord]>([])
        let traced = TracingTransport(a) { record in log.withLock { $0.append(record) } }
        async let question = b.receive()
        try await traced.send([1, 2], on: .control, .withResponse)
        _ = try await question
        try await b.send([3], on: .data, .withoutResponse)
        try await b.send([4], on: .control, .withoutResponse)
        #expect(try await traced.receive().count == 2)
        // What can't be sent is not told.
        _ = try? await traced.send([], on: .data, .withoutResponse)
        _ = try? await traced.send([UInt8](repeating: 0, count: 21), on: .data, .withoutResponse)

        let records = log.withLock { $0 }
        #expect(records.map(\.direction) == [.out, .in, .in])
        #expect(records.map(\.channel) == [.control, .data, .control])
        #expect(records.map(\.delivery) == [.withResponse, nil, nil])
        #expect(records.map(\.bytes) == [[1, 2], [3], [4]])
        #expect(records.map(\.offset) == records.map(\.offset).sorted())
        #expect(records[0].offset >= .zero)
    }

    @Test("A record has one line and reads back", arguments: 1...20)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let byteCount = generator.next(in: 1...512)
            let record = TraceRecord(
                offset: .microseconds(Int64(generator.next() >> 14)),
                direction: generator.next() & 1 == 0 ? .in : .out,
                channel: generator.next() & 1 == 0 ? .control : .data,
                bytes: (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            )
            #expect(!record.line.contains("\n"))
            #expect(try TraceRecord(line: record.line) == record, "seed \(seed)")
        }
    }

    @Test("The line is the documented one")
    func line() throws {
        let record = TraceRecord(
            offset: .nanoseconds(1_250_999),
            direction: .out,
            channel: .data,
            delivery: .withResponse,
            bytes: [0x5a, 0x00, 0xff]
        )
        #expect(record.line == "1250 out data 5a00ff")
        let read = try TraceRecord(line: "  1250\tout data  5A00fF ")
        #expect(read.bytes == record.bytes && read.offset == .microseconds(1250))
        #expect(read.delivery == nil)
    }

    @Test(
        "A line that is wrong is refused with what is wrong",
        arguments: [
            ("", TraceError.fieldCount(0)),
            ("1 out data", .fieldCount(3)),
            ("1 out data 00 00", .fieldCount(5)),
            ("x out data 00", .time("x")),
            ("-1 out data 00", .time("-1")),
            ("99999999999999999999 out data 00", .time("99999999999999999999")),
            ("1 up data 00", .direction("up")),
            ("1 in dat 00", .channel("dat")),
            ("1 in data 000", .hexDigitCount(3)),
            ("1 in data 00g0", .hexDigit(position: 2)),
            ("1 in data 0x", .hexDigit(position: 0)),
            (
                "1 in data " + String(repeating: "0", count: 1026),
                .tooLong(byteCount: 513, limit: 512)
            ),
        ]
    )
    func wrongLine(_ line: String, _ expected: TraceError) {
        #expect(throws: expected) { try TraceRecord(line: line) }
        #expect(expected.description.hasSuffix("."))
    }
}
