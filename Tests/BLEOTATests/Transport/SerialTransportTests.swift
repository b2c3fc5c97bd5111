import BLEOTATestSupport
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// Links over a serial line whose other end does what the test wants.
@Suite("Links over a serial line", .timeLimit(.minutes(2)))
struct SerialTransportTests {
    private let line = SerialLine()
    private let directory = SocketDirectory()

    private var address: SerialAddress { SerialAddress(path: FilePath(line.path)) }

    /// More than the kernel holds for a pseudo-terminal that nobody reads.
    private static let muchCount = 2_000

    @Test("A frame is a packet, and a packet a datagram, on both channels and either delivery")
    func conversation() async throws {
        let link = try SerialTransport.open(address)
        defer { link.close(.local) }
        for delivery in Datagram.Delivery.allCases {
            try await link.send([1, 0xC0], on: .control, delivery)
            try await link.send([0xDB], on: .data, delivery)
            let expected: [UInt8] = [
                0xC0, 0, 1, 0xDB, 0xDC, 0xC0, 0xC0, 1, 0xDB, 0xDD, 0xC0,
            ]
            #expect(await line.received(expected.count) == expected)
        }
        try await link.flush()
        line.send([0xC0, 0, 5, 0xC0, 1, 6, 7, 0xC0])
        #expect(
            try await link.collect(2) == [
                Datagram(channel: .control, bytes: [5]),
                Datagram(channel: .data, bytes: [6, 7]),
            ]
        )
    }

    @Test("A stream that is cut anywhere is the same stream")
    func splits() async throws {
        let link = try SerialTransport.open(address)
        defer { link.close(.local) }
        let frames: [[UInt8]] = [[1, 0xC0, 0xDB], [2], [0xDB, 0xDC, 0xC0], [3]]
        let stream = frames.flatMap { SerialPacket.encoded($0, on: .data) }
        for cut in 1..<stream.count {
            line.send(Array(stream[..<cut]))
            // What is whole by then has to come before the rest is there.
            var decoder = SLIPDecoder(byteCountMax: SerialPacket.byteCountMax)
            let whole = stream[..<cut].compactMap { decoder.take($0) }.count
            let first = try await link.collect(whole)
            line.send(Array(stream[cut...]))
            let second = try await link.collect(frames.count - whole)
            #expect((first + second).map(\.bytes) == frames, "cut at \(cut)")
        }
    }

    @Test("Noise between packets is passed over, whatever it is")
    func noise() async throws {
        let link = try SerialTransport.open(address)
        defer { link.close(.local) }
        let seed = TestSeed.rounds(1, of: "Noise on a serial link")[0]
        var random = TestSeed(seed)
        for number in 0..<200 {
            line.send(random.bytes(Int.random(in: 0...1_000, using: &random)))
            let last = numbered(number, byteCount: 40)
            line.send(SerialPacket.encoded(last, on: .control))
            let arrived = try await link.collect(until: last)
            #expect(arrived.allSatisfy { (1...512).contains($0.count) }, "seed \(seed)")
        }
        #expect(link.closeReason == nil)
    }

    @Test("A line that takes no more holds the sender back, and nothing is lost or cut")
    func backPressure() async throws {
        let link = try SerialTransport.open(address)
        defer { link.close(.local) }
        let sent = Tally()
        let sender = Task {
            for number in 0..<Self.muchCount {
                try await link.send(numbered(number, byteCount: 200), on: .data, .withoutResponse)
                await sent.add()
            }
        }
        await sent.reaches(10)
        await letOthersRun()
        #expect(await sent.count < Self.muchCount)
        let expected = (0..<Self.muchCount).flatMap {
            SerialPacket.encoded(numbered($0, byteCount: 200), on: .data)
        }
        #expect(await line.received(expected.count) == expected)
        try await sender.value
    }

    enum Ending: CaseIterable { case closedHere, unplugged, cancelled }

    @Test("A sender that is held back is let go", arguments: Ending.allCases)
    func endingOfHeldBackSender(_ ending: Ending) async throws {
        let link = try SerialTransport.open(address)
        defer { link.close(.local) }
        let sent = Tally()
        let sender = Task {
            for number in 0..<Self.muchCount {
                try await link.send(numbered(number, byteCount: 200), on: .data, .withResponse)
                await sent.add()
            }
        }
        await sent.reaches(10)
        await letOthersRun()
        switch ending {
        case .closedHere:
            link.close(.local)
            await #expect(throws: TransportError.closed(.local)) { try await sender.value }
        case .unplugged:
            line.unplug()
            let error = await #expect(throws: TransportError.self) { try await sender.value }
            #expect(error.map(hungUp) == true)
        case .cancelled:
            sender.cancel()
            await #expect(throws: TransportError.cancelled) { try await sender.value }
            // The packet that was begun is not cut off by the next one.
            let last = Task { try await link.send([9], on: .control, .withResponse) }
            var decoder = SLIPDecoder(byteCountMax: SerialPacket.byteCountMax)
            var packets: [[UInt8]] = []
            while packets.last != [0, 9], !Task.isCancelled {
                packets += await line.received(1).compactMap { decoder.take($0) }
            }
            try await last.value
            let numbers = packets.dropLast().map { Array($0.dropFirst()) }
            #expect(numbers == packets.indices.dropLast().map { numbered($0, byteCount: 200) })
        }
    }

    private func hungUp(_ error: TransportError) -> Bool {
        guard case .closed(.failed(let sentence)) = error else { return false }
        return sentence.contains("hung up")
    }

    @Test("A device that is unplugged ends the link, after what had come")
    func unplugged() async throws {
        let link = try SerialTransport.open(address)
        line.send(SerialPacket.encoded([1], on: .data))
        #expect(try await link.receive().map(\.bytes) == [[1]])
        line.unplug()
        #expect(hungUp(await link.collectAll().ending))
        await link.awaitEnd()
        let reason = try #require(link.closeReason)
        await #expect(throws: TransportError.closed(reason)) {
            try await link.send([1], on: .data, .withoutResponse)
        }
        await #expect(throws: TransportError.closed(reason)) { try await link.flush() }
    }

    @Test("What was sent before a close goes out, and then the line is free")
    func close() async throws {
        for round in 0..<50 {
            let link = try SerialTransport.open(address)
            for number in 0..<5 {
                try await link.send(numbered(number), on: .data, .withoutResponse)
            }
            link.close(.local)
            await link.awaitEnd()
            let expected = (0..<5).flatMap { SerialPacket.encoded(numbered($0), on: .data) }
            #expect(await line.received(expected.count) == expected, "round \(round)")
        }
    }

    @Test("A packet that was begun goes out whole, also after the close")
    func closeWithRest() async throws {
        let link = try SerialTransport.open(address)
        let sent = Tally()
        let sender = Task {
            while true {
                try await link.send(numbered(7, byteCount: 200), on: .data, .withoutResponse)
                await sent.add()
            }
        }
        await sent.reaches(10)
        await letOthersRun()
        link.close(.local)
        await #expect(throws: TransportError.closed(.local)) { try await sender.value }
        // The link has ended, and the line is as full as it was.
        #expect(await link.collectAll().ending == .closed(.local))
        let packet = SerialPacket.encoded(numbered(7, byteCount: 200), on: .data)
        let line = await line.received(packet.count * (await sent.count))
        #expect(line.count == packet.count * (await sent.count))
        #expect(line.suffix(packet.count) == packet[...])
        await link.awaitEnd()
    }

    @Test("A connector opens the line anew as soon as its last link is closed, and not before")
    func connector() async throws {
        let connector = SerialConnector(address)
        for _ in 0..<50 {
            let link = try await connector.connect()
            link.close(.local)
        }
        let link = try await connector.connect()
        let error = await #expect(throws: TransferError.self) { try await connector.connect() }
        #expect(error?.problem == .serial(.busy(address.path)))
        #expect(error?.description == SerialError.busy(address.path).description)
        link.close(.local)
    }

    @Test("A hundred links leave no descriptor behind")
    func descriptors() async throws {
        func count() -> Int { (0..<1_024).count { fcntl($0, F_GETFD) >= 0 } }
        let before = count()
        for round in 0..<100 {
            let link = try SerialTransport.open(address)
            if round.isMultiple(of: 2) { link.close(.local) }
            // The other half is dropped.
            let engine = link.link
            _ = consume link
            await engine.awaitEnd()
        }
        // Other tests open some of their own meanwhile; a leak would be three hundred.
        while count() > before + 150, !Task.isCancelled { await Task.yield() }
        #expect(!Task.isCancelled)
    }

    // MARK: Sockets

    @Test("A stream socket is a line, too, and ends with its peer")
    func socket() async throws {
        let listener = RawStreamListener(at: directory.socket)
        defer { listener.close() }
        let near = try SerialTransport.open(SerialAddress(path: directory.socket))
        let far = try SerialTransport.start(listener.accept(), attMTU: 517, inboundLimit: 10)
        try await near.send([1], on: .control, .withResponse)
        try await near.flush()
        #expect(try await far.receive() == [Datagram(channel: .control, bytes: [1])])
        try await far.send([2], on: .data, .withoutResponse)
        far.close(.local)
        let (datagrams, ending) = await near.collectAll()
        #expect(datagrams == [Datagram(channel: .data, bytes: [2])])
        #expect(ending == .closed(.remote))
    }

    @Test("More than is taken ends the link here")
    func overflow() async throws {
        let link = try SerialTransport.open(address, inboundLimit: 3)
        for number: UInt8 in 1...4 { line.send(SerialPacket.encoded([number], on: .data)) }
        while link.closeReason == nil, !Task.isCancelled { await Task.yield() }
        #expect(link.closeReason == .overflow)
        let (datagrams, ending) = await link.collectAll()
        #expect(datagrams.map(\.bytes) == [[1], [2], [3]])
        #expect(ending == .inboundOverflow(limit: 3))
    }
}
