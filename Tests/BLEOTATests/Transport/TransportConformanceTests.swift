import Testing

@testable import BLEOTA

/// The contract of ``Transport``, as far as it goes beyond what `BLEOTATransportTesting` asks of
/// everybody: numbers, windows and reasons of our own kinds of link.
@Suite(.timeLimit(.minutes(2)))
struct TransportConformanceTests {
    // MARK: Delivery

    @Test(
        "10,000 datagrams each way at the same time all arrive in order",
        arguments: LinkKind.allCases
    )
    func bothWays(_ kind: LinkKind) async throws {
        let count = 10_000
        let (a, b) = try await kind.makePair(inboundLimit: count)
        @Sendable func send(_ end: any Transport) async throws {
            for number in 0..<count {
                try await end.send(numbered(number), on: .data, .withoutResponse)
            }
        }
        async let sentByA: Void = send(a)
        async let sentByB: Void = send(b)
        async let receivedByA = a.collect(count)
        async let receivedByB = b.collect(count)
        _ = try await (sentByA, sentByB)
        #expect(try await receivedByA.map(number(of:)) == Array(0..<count))
        #expect(try await receivedByB.map(number(of:)) == Array(0..<count))
        #expect(a.closeReason == nil && b.closeReason == nil)
    }

    // MARK: Waiting

    @Test(
        "A loopback holds its sender back until the peer takes, each channel by itself",
        arguments: LinkKind.loopbacks
    )
    func backPressure(_ kind: LinkKind) async throws {
        let (a, b) = try await kind.makePair(transmitWindow: 5)
        for number in 0..<5 { try await a.send(numbered(number), on: .data, .withoutResponse) }
        try await a.send(numbered(100), on: .control, .withoutResponse)
        let sent = Tally()
        let sender = Task {
            for number in 5..<23 {
                try await a.send(numbered(number), on: .data, .withoutResponse)
                await sent.add()
            }
        }
        await letOthersRun()
        #expect(await sent.count == 0)
        #expect(try await b.receive().map(number(of:)) == [0, 1, 2, 3, 4, 100])
        // Each take opens the window for five more, and never for six.
        for first in stride(from: 5, to: 20, by: 5) {
            await sent.reaches(first)
            await letOthersRun()
            #expect(try await b.receive().map(number(of:)) == Array(first..<first + 5))
        }
        try await sender.value
        #expect(try await b.receive().map(number(of:)) == [20, 21, 22])
    }

    @Test(
        "With response, a loopback's send returns when the peer has taken",
        arguments: LinkKind.loopbacks
    )
    func responseOfLoopback(_ kind: LinkKind) async throws {
        let (a, b) = try await kind.makePair()
        let returned = Tally()
        let sender = Task {
            try await a.send(numbered(1), on: .data, .withResponse)
            await returned.add()
        }
        await letOthersRun()
        #expect(await returned.count == 0)
        #expect(try await b.receive().map(number(of:)) == [1])
        try await sender.value
    }

    @Test(
        "With response, a socket's send returns when it is in the peer's inbound queue",
        arguments: LinkKind.sockets
    )
    func responseOfSocket(_ kind: LinkKind) async throws {
        let (a, b) = try await kind.makePair()
        for number in 0..<10 {
            let channel: Datagram.Channel = number.isMultiple(of: 2) ? .control : .data
            try await a.send(numbered(number), on: channel, .withResponse)
        }
        #expect(try await b.receive().map(number(of:)) == Array(0..<10))
    }

    @Test("Flush returns when the peer of a loopback took all", arguments: LinkKind.loopbacks)
    func flushOfLoopback(_ kind: LinkKind) async throws {
        let (a, b) = try await kind.makePair()
        try await a.flush()
        for number in 0..<30 { try await a.send(numbered(number), on: .data, .withoutResponse) }
        let returned = Tally()
        let flush = Task {
            try await a.flush()
            await returned.add()
        }
        await letOthersRun()
        #expect(await returned.count == 0)
        #expect(try await b.receive().count == 30)
        try await flush.value
        try await a.flush()
    }

    @Test(
        "Flush returns when all is in the inbound queue of a socket's peer",
        arguments: LinkKind.sockets
    )
    func flushOfSocket(_ kind: LinkKind) async throws {
        let (a, b) = try await kind.makePair()
        try await a.flush()
        for round in 1...5 {
            for number in 0..<100 {
                try await a.send(numbered(number), on: .data, .withoutResponse)
            }
            try await a.flush()
            #expect(try await b.receive().count == 100, "round \(round)")
        }
    }

    // MARK: Overflow

    @Test(
        "A queue that runs over ends the link at both ends, after what had arrived",
        arguments: LinkKind.answering
    )
    func overflow(_ kind: LinkKind) async throws {
        let (a, b) = try await kind.makePair(transmitWindow: 100, inboundLimit: 10)
        let error = await #expect(throws: TransportError.self) {
            while true { try await a.send(numbered(7), on: .data, .withoutResponse) }
        }
        #expect(error == .closed(.overflow))
        let (datagrams, ending) = await b.collectAll()
        #expect(datagrams.count == 10)
        #expect(ending == .inboundOverflow(limit: 10))
        #expect(a.closeReason == .overflow && b.closeReason == .overflow)
        await #expect(throws: TransportError.inboundOverflow(limit: 10)) { try await b.receive() }
        await #expect(throws: TransportError.closed(.overflow)) { try await a.receive() }
        await #expect(throws: TransportError.closed(.overflow)) {
            try await b.send([1], on: .data, .withoutResponse)
        }
    }

    // MARK: Closing

    @Test(
        "Nothing that was sent before a close is lost",
        arguments: LinkKind.allCases,
        [0, 1, 2, 60]
    )
    func nothingLostAtClose(_ kind: LinkKind, _ count: Int) async throws {
        let (a, b) = try await kind.makePair()
        for number in 0..<count { try await a.send(numbered(number), on: .data, .withoutResponse) }
        a.close(.local)
        let (datagrams, ending) = await b.collectAll()
        #expect(datagrams.map(number(of:)) == Array(0..<count))
        #expect(ending == .closed(.remote))
    }

    @Test(
        "Each end tells one reason to everyone, and the first one stays",
        arguments: LinkKind.allCases,
        [CloseReason.local, .failed("The battery is empty."), .injected, .overflow]
    )
    func reasons(_ kind: LinkKind, _ reason: CloseReason) async throws {
        let (a, b) = try await kind.makePair()
        #expect(a.closeReason == nil && b.closeReason == nil)
        b.close(reason)
        let tells = LinkKind.answering.contains(kind)
        let told: CloseReason = reason == .overflow && tells ? .overflow : .remote
        for (end, expected) in [(b, reason), (a, told)] {
            await #expect(throws: TransportError.closed(expected)) { try await end.receive() }
            await #expect(throws: TransportError.closed(expected)) {
                try await end.send([1], on: .control, .withResponse)
            }
            await #expect(throws: TransportError.closed(expected)) { try await end.flush() }
            end.close(.failed("too late"))
            #expect(end.closeReason == expected)
        }
    }

    enum Waiting: CaseIterable { case window, response, flush }

    @Test(
        "A close by either end wakes who waits for a loopback's peer",
        arguments: LinkKind.loopbacks,
        Waiting.allCases
    )
    func closeWakesSender(_ kind: LinkKind, _ waiting: Waiting) async throws {
        for closesHere in [true, false] {
            let (a, b) = try await kind.makePair(transmitWindow: 1)
            let sender = Task { try await Self.wait(for: waiting, on: a) }
            await letOthersRun()
            (closesHere ? a : b).close(.local)
            await #expect(throws: TransportError.closed(closesHere ? .local : .remote)) {
                try await sender.value
            }
        }
    }

    /// Waits for ever for a peer that takes nothing.
    private static func wait(for waiting: Waiting, on end: any Transport) async throws {
        switch waiting {
        case .window: while true { try await end.send([1], on: .data, .withoutResponse) }
        case .response: try await end.send([1], on: .data, .withResponse)
        case .flush:
            try await end.send([1], on: .data, .withoutResponse)
            try await end.flush()
        }
    }

    @Test("An end that is dropped closes the link", arguments: LinkKind.allCases)
    func drop(_ kind: LinkKind) async throws {
        let a = try await Self.endWithoutPeer(kind)
        let (datagrams, ending) = await a.collectAll()
        #expect(datagrams.count == 1)
        #expect(ending == .closed(.remote))
        a.close(.local)
    }

    /// One end of a link, whose other end sent a datagram and was dropped. The other end is dropped
    /// when this function returns; a variable set to `nil` may leave a copy in optimized code.
    private static func endWithoutPeer(_ kind: LinkKind) async throws -> any Transport {
        let (a, b) = try await kind.makePair()
        try await b.send([1], on: .data, .withoutResponse)
        return a
    }

    // MARK: Cancellation

    @Test(
        "A send or flush that is cancelled leaves the loopback usable",
        arguments: LinkKind.loopbacks,
        Waiting.allCases
    )
    func cancelledSend(_ kind: LinkKind, _ waiting: Waiting) async throws {
        // On a busy machine the task may be cancelled before it has sent anything.
        while try await cancelWhileWaiting(kind, waiting) != [[1], [2]] {}
    }

    /// What arrived of a 1 that a cancelled task was to send, and of a 2 after it.
    private func cancelWhileWaiting(_ kind: LinkKind, _ waiting: Waiting) async throws -> [[UInt8]]
    {
        let (a, b) = try await kind.makePair(transmitWindow: 1)
        let sender = Task { try await Self.wait(for: waiting, on: a) }
        await letOthersRun()
        sender.cancel()
        await #expect(throws: TransportError.cancelled) { try await sender.value }
        async let received = b.collect(until: [2])
        try await a.send([2], on: .data, .withoutResponse)
        let arrived = try await received
        #expect([[[1], [2]], [[2]]].contains(arrived))
        try await a.flush()
        return arrived
    }

}
