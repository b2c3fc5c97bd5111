import Testing

@testable import BLEOTA

/// L2CAP channels against peers that say exactly what a test tells them to.
@Suite("L2CAP channels", .timeLimit(.minutes(2)))
struct L2CAPLinkTests {
    private func makeLink(
        sending: Int = 200,
        receiving: Int = 8_192
    ) throws -> (L2CAPTransport, RawSocketPeer) {
        let (ours, theirs) = RawSocketPeer.makePair()
        let link = try L2CAPTransport.start(ours, sending: sending, receiving: receiving)
        return (link, RawSocketPeer.taking(theirs))
    }

    /// The packets of an SDU; `nil` if it does not end with the last.
    private static func packets(_ sdu: [UInt8]) -> [[UInt8]]? {
        var packets: [[UInt8]] = []
        var rest = sdu[...]
        while rest.count > 2 {
            let byteCount = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            packets.append(Array(rest.dropFirst(2).prefix(byteCount)))
            guard rest.count >= 2 + byteCount else { return nil }
            rest = rest.dropFirst(2 + byteCount)
        }
        return rest.isEmpty ? packets : nil
    }

    @Test("The example of the specification is what the link sends and answers")
    func example() async throws {
        let (link, peer) = try makeLink()
        let poll: [UInt8] = [0x12, 5, 0, 0, 7, 0xF3, 0xC4]
        try await link.send(poll, on: .control, .withResponse)
        let flush = Task { try await link.flush() }
        var sent: [UInt8] = []
        while sent.count < 13 { sent += try #require(await peer.receive()) }
        #expect(sent == [8, 0, 2] + poll + [1, 0, 7])
        peer.send([1, 0, 8])
        try await flush.value
    }

    @Test(
        "A link carries what both ends' SDUs have room for, and two packets of the link layer",
        arguments: [(23, 8_192, 20), (8_192, 23, 20), (247, 300, 244), (65_535, 8_192, 489)]
    )
    func sizes(_ sending: Int, _ receiving: Int, _ byteCount: Int) throws {
        let (link, _) = try makeLink(sending: sending, receiving: receiving)
        #expect(link.limits.controlByteCountMax == byteCount)
        #expect(link.limits.dataByteCountMax == byteCount)
        #expect(link.limits.isOrdered)
    }

    //= COC-3
    @Test("An SDU is never longer than the peer takes")
    func sduByteCount() async throws {
        let (link, peer) = try makeLink(sending: 100)
        let sent = (0..<500).map { numbered($0, byteCount: 4 + $0 % 94) }
        let sending = Task {
            for datagram in sent { try await link.send(datagram, on: .data, .withoutResponse) }
        }
        var arrived: [[UInt8]] = []
        var longest = 0
        while arrived.count < sent.count {
            let sdu = try #require(await peer.receive())
            longest = max(longest, sdu.count)
            arrived += try #require(Self.packets(sdu)).map { Array($0.dropFirst()) }
        }
        try await sending.value
        #expect(arrived == sent)
        #expect(longest == 100)
    }

    @Test("What a peer leaves waiting is put together in long SDUs")
    func together() async throws {
        let (link, peer) = try makeLink(sending: 8_192)
        let count = 2_000
        let sending = Task {
            for number in 0..<count {
                try await link.send(numbered(number), on: .data, .withoutResponse)
            }
        }
        var counts: [Int] = []
        var number = 0
        while number < count {
            let sdu = try #require(await peer.receive())
            let packets = try #require(Self.packets(sdu))
            counts.append(packets.count)
            for packet in packets {
                #expect(packet == [4] + numbered(number))
                number += 1
            }
        }
        try await sending.value
        #expect(try #require(counts.max()) > 1)
    }

    //= COC-3
    @Test("Packets arrive whole, however SDUs divide them", arguments: 1...12)
    func divided(_ byteCount: Int) async throws {
        let (link, peer) = try makeLink()
        let sent = (0..<20).map { numbered($0, byteCount: 4 + $0 % 9) }
        let stream: [UInt8] = sent.flatMap { datagram -> [UInt8] in
            [UInt8(1 + datagram.count), 0, 4] + datagram
        }
        for start in stride(from: 0, to: stream.count, by: byteCount) {
            peer.send(Array(stream[start...].prefix(byteCount)))
        }
        #expect(try await link.collect(sent.count).map(\.bytes) == sent)
    }

    //= COC-4
    @Test("A barrier is answered when everything before it is in the queue")
    func barrier() async throws {
        let (link, peer) = try makeLink()
        peer.send([2, 0, 2, 7, 3, 0, 4, 8, 9, 1, 0, 7, 1, 0, 7])
        var answers: [UInt8] = []
        while answers.count < 6 { answers += try #require(await peer.receive()) }
        #expect(answers == [1, 0, 8, 1, 0, 8])
        #expect(
            try await link.receive() == [
                Datagram(channel: .control, bytes: [7]), Datagram(channel: .data, bytes: [8, 9]),
            ]
        )
    }

    //= COC-4
    /// The answer was not sent before something else arrived.
    @Test("A barrier that arrives while nothing has room is answered when there is room")
    func barrierWithoutRoom() async throws {
        let (link, peer) = try makeLink(sending: 8_192)
        let sending = Task {
            while true { try await link.send(numbered(1), on: .data, .withoutResponse) }
        }
        // Until the kernel takes no more, and both SDUs are full.
        for _ in 0..<100 { await letOthersRun() }
        peer.send([1, 0, 7])
        for _ in 0..<100 { await letOthersRun() }
        sending.cancel()
        var hasAnswer = false
        while !hasAnswer {
            let sdu = try #require(await peer.receive())
            hasAnswer = try #require(Self.packets(sdu)).contains([8])
        }
        await #expect(throws: TransportError.cancelled) { try await sending.value }
    }

    static let violations: [[UInt8]] = [
        [0, 0], [0, 0, 2], [2, 0, 2, 1, 0, 0], [1, 0, 2], [1, 0, 4],
        [22, 0, 4] + [UInt8](repeating: 1, count: 21), [2, 0, 1, 1], [2, 0, 3, 1], [2, 0, 5, 1],
        [1, 0, 6], [2, 0, 7, 0], [2, 0, 8, 0], [1, 0, 8], [1, 0, 9], [3, 0, 9, 0, 0], [1, 0, 0],
        [2, 0, 10, 1], [255, 255, 4, 1],
    ]

    //= COC-5
    @Test(
        "An SDU that breaks a rule ends the link, after what came before it",
        arguments: violations
    )
    func violation(_ sdu: [UInt8]) async throws {
        let (link, peer) = try makeLink(sending: 23)
        peer.send([2, 0, 2, 7])
        peer.send(sdu)
        let (datagrams, ending) = await link.collectAll()
        #expect(datagrams.first == Datagram(channel: .control, bytes: [7]))
        guard case .closed(.failed(let sentence)) = ending else {
            Issue.record("\(sdu) ended the link with \(ending)")
            return
        }
        #expect(sentence.hasPrefix("The peer "))
        var last: [UInt8] = []
        while let sdu = await peer.receive() { last = sdu }
        #expect(last == [2, 0, 9, 0])
    }

    @Test("A peer that says closing ends the link, with the reason that it gives")
    func closing() async throws {
        for (byte, reason) in [(UInt8(0), CloseReason.remote), (1, .overflow), (9, .remote)] {
            let (link, peer) = try makeLink()
            peer.send([2, 0, 2, 7, 2, 0, 9, byte, 2, 0, 2, 8])
            let (datagrams, ending) = await link.collectAll()
            #expect(datagrams == [Datagram(channel: .control, bytes: [7])])
            #expect(ending == .closed(reason))
        }
    }

    @Test("A peer that is killed ends the link, after what it had sent")
    func killed() async throws {
        let (link, peer) = try makeLink()
        peer.send([2, 0, 2, 7])
        peer.close()
        let (datagrams, ending) = await link.collectAll()
        #expect(datagrams == [Datagram(channel: .control, bytes: [7])])
        #expect(ending == .closed(.remote))
        await #expect(throws: TransportError.closed(.remote)) { try await link.flush() }
        await link.awaitEnd()
    }

    @Test("A close does not wait for ever for a peer that reads nothing")
    func closeWithoutReader() async throws {
        let (link, peer) = try makeLink(sending: 8_192)
        let sending = Task {
            while true { try await link.send(numbered(1), on: .data, .withoutResponse) }
        }
        // Until the kernel takes no more, and both SDUs are full.
        for _ in 0..<100 { await letOthersRun() }
        link.close(.local)
        await link.awaitEnd()
        await #expect(throws: TransportError.closed(.local)) { try await sending.value }
        #expect(await peer.receive() != nil)
    }
}
