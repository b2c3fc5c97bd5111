import BLEOTA
import Glibc
import Testing

@testable import BLEOTASMP

@Suite("Clients of SMP over UDP", .timeLimit(.minutes(1)))
struct UDPListenerTests {
    private let listener: UDPListener
    private let start = ContinuousClock.now

    init() throws { listener = try UDPListener(host: "127.0.0.1", port: 0) }

    /// The address of a client on this machine.
    private func address(port: UInt16) -> [UInt8] {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return withUnsafeBytes(of: &address) { Array($0) }
    }

    @Test("a client that is silent for too long is gone, and one that talks is not")
    func idle() async throws {
        let (silent, talking) = (address(port: 1), address(port: 2))
        listener.deliver([1], from: silent, at: start)
        listener.deliver([2], from: talking, at: start)
        let (gone, link) = (try await listener.next().link, try await listener.next().link)
        #expect(try await gone.receive() == [[1]])
        listener.deliver([3], from: talking, at: start + .seconds(1))
        listener.closeIdleClients(at: start + UDPListener.idleLimit - .nanoseconds(1))
        listener.closeIdleClients(at: start + UDPListener.idleLimit)
        await #expect(throws: TransferError.self) { try await gone.receive() }
        #expect(try await link.receive() == [[2], [3]])
        // The same client comes back as another one; the one that talks is served as before.
        let later = start + UDPListener.idleLimit + .seconds(1)
        listener.deliver([4], from: silent, at: later)
        listener.deliver([5], from: talking, at: later)
        #expect(try await listener.next().link.receive() == [[4]])
        #expect(try await link.receive() == [[5]])
        listener.end()
    }

    @Test("clients that nobody serves take no memory beyond a limit")
    func manyClients() async throws {
        for port in 1...1_000 as ClosedRange<UInt16> {
            listener.deliver([1], from: address(port: port))
        }
        listener.end()
        var guestCount = 0
        await #expect(throws: TransferError.self) {
            while true {
                _ = try await listener.next()
                guestCount += 1
            }
        }
        #expect(guestCount == 32)
    }

    @Test("a client whose requests nobody takes loses those beyond the device's buffers")
    func manyRequests() async throws {
        for number in 0..<100 as Range<UInt8> {
            listener.deliver([number], from: address(port: 1))
        }
        let link = try await listener.next().link
        #expect(try await link.receive().count == SMPServer.limits.requestCountMax)
        listener.end()
    }
}
