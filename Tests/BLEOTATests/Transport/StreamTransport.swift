@testable import BLEOTA

/// An end of a link that is built on `AsyncStream`, as it has to be done: one task reads the stream
/// for as long as the link lives, and a ``DatagramQueue`` holds what has arrived.
final class StreamTransport: Transport {
    let limits = TransportLimits(attMTU: 247)
    private let inbound: DatagramQueue
    private let peerInbound: DatagramQueue
    private let outbound: AsyncStream<Datagram>.Continuation
    private let reader: Task<Void, Never>

    private init(
        from stream: AsyncStream<Datagram>,
        to outbound: AsyncStream<Datagram>.Continuation,
        _ inbound: DatagramQueue,
        _ peerInbound: DatagramQueue
    ) {
        self.inbound = inbound
        self.peerInbound = peerInbound
        self.outbound = outbound
        reader = Task { @concurrent in
            for await datagram in stream where !inbound.put([datagram]) {
                inbound.end(.overflow)
                peerInbound.end(.overflow)
            }
            inbound.end(.remote)
        }
    }

    deinit { close(.local) }

    static func makePair() -> (StreamTransport, StreamTransport) {
        // A stream that is full drops, and never holds its sender back: then the link ends.
        let policy = AsyncStream<Datagram>.Continuation.BufferingPolicy.bufferingOldest(4_096)
        let (toFirst, first) = AsyncStream.makeStream(of: Datagram.self, bufferingPolicy: policy)
        let (toSecond, second) = AsyncStream.makeStream(of: Datagram.self, bufferingPolicy: policy)
        let (firstQueue, secondQueue) = (DatagramQueue(), DatagramQueue())
        return (
            StreamTransport(from: toFirst, to: second, firstQueue, secondQueue),
            StreamTransport(from: toSecond, to: first, secondQueue, firstQueue)
        )
    }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await flush()
        if case .dropped = outbound.yield(Datagram(channel: channel, bytes: datagram)) {
            close(.overflow)
        }
    }

    /// The stream has all that was sent, and its reader needs nobody.
    func flush() async throws(TransportError) {
        if Task.isCancelled { throw .cancelled }
        if let closeReason { throw .closed(closeReason) }
    }

    func receive() async throws(TransportError) -> [Datagram] { try await inbound.receive() }

    func close(_ reason: CloseReason) {
        inbound.end(reason)
        outbound.finish()
    }

    var closeReason: CloseReason? { inbound.closeReason }
}
