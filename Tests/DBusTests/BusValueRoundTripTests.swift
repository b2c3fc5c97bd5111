import Glibc
import Testing

@testable import DBus

/// Every type of D-Bus through a real bus, to an object that sends it back.
@Suite(.timeLimit(.minutes(2)))
struct BusValueRoundTripTests {
    static let values: [BusValue] = [
        .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .int16(.max),
        .uint16(.max), .int32(.min), .int32(.max), .uint32(.max), .int64(.min), .int64(.max),
        .uint64(.max), .double(-0.5), .double(.infinity), .double(.leastNonzeroMagnitude),
        .string(""), .string("Grüße, 世界 🦉"), .path(.root), .path(ObjectPath("/org/bluez/hci0")!),
        .signature(""), .signature("a{sv}(ii)"),
        .bytes([]), .bytes([0]), .bytes(Array(0...255)),
        .array(of: "s", []), .strings(["a", "", "b"]), .array(of: "i", [.int32(1), .int32(-1)]),
        .array(of: "b", [.boolean(true), .boolean(false)]),
        .array(of: "ay", [.bytes([]), .bytes([1, 2])]), .array(of: "{sv}", []).dictionary,
        .options([:]), .options(["type": .string("command"), "offset": .uint16(3)]),
        .dictionary(of: "{qay}", [.init(.uint16(0x4c), .bytes([2, 21]))]),
        .dictionary(
            of: "{oa{sa{sv}}}",
            [
                .init(
                    .path(.root),
                    .dictionary(
                        of: "{sa{sv}}",
                        [
                            .init(.string("i"), .options(["deep": .variant(.variant(.int64(7)))]))
                        ]
                    )
                ),
                .init(.path(ObjectPath("/a")!), .dictionary(of: "{sa{sv}}", [])),
            ]
        ),
        .structure([.byte(1)]), .structure([.string("a"), .structure([.bytes([1]), .double(2)])]),
        .array(of: "(sv)", [.structure([.string("x"), .variant(.bytes([]))])]),
        .variant(.string("v")), .variant(.structure([.int32(1), .options([:])])),
        .variant(.array(of: "a{sv}", [.options(["k": .boolean(true)])])),
    ]

    @Test("What an object is called with comes back as it was, and says its type")
    func roundTrip() async throws {
        let pair = try await BusPair()
        let echo = ScriptedObject.echoing()
        try await pair.export(echo)
        for value in Self.values {
            #expect(try await pair.call("Echo", [value]) == [value])
        }
        #expect(echo.calls.elements.map(\.message.body) == Self.values.map { [$0] })
        #expect(try await pair.call("Echo", Self.values) == Self.values)
        #expect(try await pair.call("Echo") == [])
    }

    @Test("Bytes keep their content up to half a mebibyte", arguments: [1, 4096, 512 * 1024])
    func largeBytes(_ count: Int) async throws {
        let pair = try await BusPair()
        try await pair.export(ScriptedObject.echoing())
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        #expect(try await pair.call("Echo", [.bytes(bytes)]) == [.bytes(bytes)])
    }

    @Test("A value that is as deep as D-Bus allows comes back")
    func deep() async throws {
        let pair = try await BusPair()
        try await pair.export(ScriptedObject.echoing())
        let value = (0..<30).reduce(BusValue.byte(9)) { value, _ in .structure([value]) }
        #expect(try await pair.call("Echo", [value]) == [value])
        let nested = (0..<30).reduce(BusValue.byte(9)) { value, _ in .variant(value) }
        #expect(try await pair.call("Echo", [nested]) == [nested])
    }

    @Test("Both ends of a socket work after one of them was sent, and it is closed with the last")
    func descriptor() async throws {
        let pair = try await BusPair()
        let echo = ScriptedObject.echoing()
        try await pair.export(echo)
        var ends: [CInt] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        #expect(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let mine = BusDescriptor(owning: ends[0])
        do {
            let sent = BusDescriptor(owning: ends[1])
            let options = BusValue.options(["fd": .descriptor(sent)])
            let answer = try await pair.call("Echo", [.descriptor(sent), options])
            let came = try #require(answer.first?.fileDescriptor)
            let inside = try #require(answer.last?.properties?["fd"]?.fileDescriptor)
            #expect(came.withNumber { $0 } != ends[1] && came != sent && came != inside)
            #expect(came.send([1, 2, 3]) && inside.send([4]))
            sent.close()
            #expect(sent.isClosed && sent.withNumber { $0 } == nil)
            #expect(mine.receive() == [1, 2, 3] && mine.receive() == [4])
            #expect(mine.send([5]) && came.receive() == [5])
        }
        // The object has kept the call, and the thread of the connection may still have it.
        #expect(mine.receive(waiting: false) == nil)
        echo.calls.removeAll()
        try await until { mine.receive(waiting: false) == [] }
    }

    @Test("A descriptor that is closed already fails the call, and the next call works")
    func closedDescriptor() async throws {
        let pair = try await BusPair()
        try await pair.export(ScriptedObject.echoing())
        let closed = BusDescriptor(owning: dup(0))
        closed.close()
        let options = BusValue.options(["fd": .descriptor(closed)])
        await #expect(
            throws: BusError.answered(
                name: "org.freedesktop.DBus.Error.Failed",
                message: "the descriptor was closed before it was sent"
            )
        ) { try await pair.call("Echo", [options]) }
        #expect(try await pair.call("Echo", [.byte(1)]) == [.byte(1)])
    }
}

extension BusValue {
    /// An empty array of entries is an empty dictionary.
    fileprivate var dictionary: BusValue {
        if case .array(let signature, _) = self { .dictionary(of: signature, []) } else { self }
    }
}

extension BusDescriptor {
    fileprivate func send(_ bytes: [UInt8]) -> Bool {
        withNumber { Glibc.send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    /// The next datagram, empty after the last; `nil` if there is none yet.
    fileprivate func receive(waiting: Bool = true) -> [UInt8]? {
        withNumber { number in
            var buffer = [UInt8](repeating: 0, count: 64)
            let flags = waiting ? 0 : Int32(MSG_DONTWAIT)
            let count = recv(number, &buffer, buffer.count, flags)
            return count < 0 ? nil : Array(buffer[..<count])
        } ?? nil
    }
}
