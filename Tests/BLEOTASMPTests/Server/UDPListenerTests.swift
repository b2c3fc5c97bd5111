import BLEOTA
import Glibc
import Testing

@testable import BLEOTASMP

@Suite("Clients of SMP over UDP", .timeLimit(.minutes(1)))
struct UDPListenerTests {
    @Test("a client that is silent for too long is gone, and one that talks is not")
    func idle() async throws {
        let listener = try UDPListener(
            host: "127.0.0.1",
            port: 0,
            idleLimit: .seconds(2)
        )
        let (silent, talking) = (try UDPPeer(of: listener), try UDPPeer(of: listener))
        silent.send([1])
        let gone = try await listener.next().link
        #expect(try await gone.receive() == [[1]])
        talking.send([2])
        let link = try await listener.next().link
        let chatter = Task {
            while !Task.isCancelled {
                talking.send([2])
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        await #expect(throws: TransferError.self) {
            while true { _ = try await gone.receive() }
        }
        // The same client comes back as another one.
        silent.send([3])
        let back = try await listener.next().link
        #expect(try await back.receive() == [[3]])
        #expect(try await link.receive().first == [2])
        chatter.cancel()
        await chatter.value
        listener.end()
    }

    @Test("clients that nobody serves take no memory beyond a limit")
    func manyClients() async throws {
        let listener = try UDPListener(host: "127.0.0.1", port: 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        for port in 1...1_000 as ClosedRange<UInt16> {
            address.sin_port = port.bigEndian
            listener.deliver([1], from: withUnsafeBytes(of: &address) { Array($0) })
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
}

/// A socket that sends datagrams to a listener.
private final class UDPPeer: Sendable {
    private let descriptor: CInt

    init(of listener: UDPListener) throws {
        let port = try #require(listener.place.split(separator: ":").last.flatMap { UInt16($0) })
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
    }

    deinit { Glibc.close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, 0) }
}
