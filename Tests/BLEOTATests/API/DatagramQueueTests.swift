import Testing

@testable import BLEOTA

/// The half of a transport that the library offers to authors.
@Suite("Queue of datagrams", .timeLimit(.minutes(1)))
struct DatagramQueueTests {
    private func datagrams(_ numbers: Range<Int>) -> [Datagram] {
        numbers.map { Datagram(channel: .data, bytes: numbered($0)) }
    }

    @Test("What is there can be received after the end, and nothing that came after it")
    func end() async throws {
        let queue = DatagramQueue()
        #expect(queue.put(datagrams(0..<2)))
        queue.end(.remote)
        queue.end(.local)
        #expect(queue.put(datagrams(2..<3)))
        #expect(try await queue.receive() == datagrams(0..<2))
        await #expect(throws: TransportError.closed(.remote)) { try await queue.receive() }
        #expect(queue.closeReason == .remote)
    }

    @Test("A queue that ran over takes no more, so that what is received has no gap")
    func overflow() async throws {
        let queue = DatagramQueue(limit: 3)
        #expect(!queue.put(datagrams(0..<4)))
        #expect(try await queue.receive() == datagrams(0..<3))
        #expect(!queue.put(datagrams(5..<6)))
        queue.end(.overflow)
        await #expect(throws: TransportError.inboundOverflow(limit: 3)) {
            try await queue.receive()
        }
    }
}
