import Glibc
import Testing

@testable import DBus

/// What listens on the address is no bus, or a bad one.
@Suite(.timeLimit(.minutes(2)))
struct HostileBusTests {
    /// More than libdbus takes for one line.
    private static let garbage = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }

    @Test("Without a bus, opening fails with a sentence that names the reason")
    func nothing() async throws {
        for address in [
            "unix:path=/nowhere/bus", "nonsense", "", "unix:path=", "no:such=transport",
        ] {
            let error = await #expect(throws: BusError.self) {
                _ = try await BusConnection.open(.at(address))
            }
            guard case .disconnected(let reason) = error else {
                Issue.record("\(address): \(String(describing: error))")
                continue
            }
            #expect(reason.contains(" "), "\(address): \(reason)")
        }
    }

    @Test("A peer that closes, or talks nonsense, is an error")
    func noBus() async throws {
        let scripts: [@Sendable (CInt) -> Void] = [
            { _ in },
            {
                RawBus.say(Self.garbage, to: $0); RawBus.drain($0)
            },
            { RawBus.say(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), to: $0) },
            {
                RawBus.say(Array("REJECTED NOTHING\r\n".utf8), to: $0); RawBus.drain($0)
            },
            {
                RawBus.welcome($0); RawBus.say(Self.garbage, to: $0); RawBus.drain($0)
            },
            { RawBus.welcome($0) },
            // The answer to the request for a name is none.
            {
                RawBus.welcome($0)
                RawBus.say(RawBus.answer(to: 1, "u", [1, 0, 0, 0]), to: $0)
                RawBus.drain($0)
            },
        ]
        for (number, script) in scripts.enumerated() {
            let bus = RawBus(script)
            let error = await #expect(throws: BusError.self) {
                _ = try await BusConnection.open(bus.address, within: .seconds(60))
            }
            guard case .disconnected = error else {
                Issue.record("script \(number): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("A peer that says nothing costs the time limit and no more")
    func silent() async throws {
        let bus = RawBus { RawBus.drain($0) }
        await #expect(throws: BusError.deadline) {
            _ = try await BusConnection.open(bus.address, within: .milliseconds(50))
        }
        let welcoming = RawBus {
            RawBus.welcome($0); RawBus.drain($0)
        }
        await #expect(throws: BusError.deadline) {
            _ = try await BusConnection.open(welcoming.address, within: .milliseconds(50))
        }
    }

    @Test("A peer that never accepts costs the time limit and no more")
    func neverAccepting() async throws {
        let bus = RawBus(backlog: 0, nil)
        bus.fillUp()
        await #expect(throws: BusError.deadline) {
            _ = try await BusConnection.open(bus.address, within: .milliseconds(50))
        }
        let opening = Task { try await BusConnection.open(bus.address, within: .seconds(1_000)) }
        opening.cancel()
        await #expect(throws: BusError.cancelled) { _ = try await opening.value }
        bus.end()
    }

    @Test("A bus that takes no descriptors refuses a call with one, and takes the next call")
    func noDescriptors() async throws {
        let bus = RawBus { peer in
            RawBus.welcome(peer)
            RawBus.say(RawBus.answer(to: 1, "s", RawBus.text(":1.1")), to: peer)
            // Whatever comes next is the only call that can have been sent.
            var buffer = [UInt8](repeating: 0, count: 4096)
            _ = recv(peer, &buffer, buffer.count, 0)
            RawBus.say(RawBus.answer(to: buffer[8], "s", RawBus.text("fine")), to: peer)
            RawBus.drain(peer)
        }
        let connection = try await BusConnection.open(bus.address)
        let body = [BusValue.descriptor(BusDescriptor(owning: dup(0)))]
        let call = MethodCall("a.b", at: .root, "a.b", "Take", body)
        let error = await #expect(throws: BusError.self) { try await connection.call(call) }
        #expect("\(error!)".contains("does not pass file descriptors"))
        let plain = MethodCall("a.b", at: .root, "a.b", "Take")
        #expect(try await connection.call(plain) == [.string("fine")])
    }
}
