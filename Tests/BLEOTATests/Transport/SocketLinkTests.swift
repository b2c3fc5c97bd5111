import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// Socket links against peers that misbehave, go silent or die.
@Suite(.timeLimit(.minutes(2)))
struct SocketLinkTests {
    private let directory = SocketDirectory()

    /// A link to a raw peer that has said hello and read ours.
    private func makeLink(
        attMTU: Int = 247,
        inboundLimit: Int = 4096
    ) async throws -> (SocketTransport, RawSocketPeer) {
        let listener = try SocketListener(
            path: directory.socket,
            attMTU: attMTU,
            inboundLimit: inboundLimit
        )
        defer { listener.close() }
        let peer = RawSocketPeer.connecting(to: directory.socket)
        peer.send(RawSocketPeer.hello)
        let link = try await listener.accept()
        #expect(await peer.receive()?.first == 0x01)
        return (link, peer)
    }

    // MARK: Agreeing on the ATT_MTU

    @Test("Both ends take the smaller ATT_MTU", arguments: [(517, 517), (23, 517), (185, 247)])
    func attMTU(_ mine: Int, _ theirs: Int) async throws {
        for (first, second) in [(mine, theirs), (theirs, mine)] {
            let listener = try SocketListener(path: directory.socket, attMTU: first)
            defer { listener.close() }
            async let accepted = listener.accept()
            let connected = try await SocketTransport.connect(
                path: directory.socket,
                attMTU: second
            )
            #expect(connected.limits == TransportLimits(attMTU: min(mine, theirs)))
            #expect(try await accepted.limits == connected.limits)
        }
    }

    @Test(
        "A peer that announces less than 23 gets 23, and more than ours gets ours",
        arguments: [(0, 23), (22, 23), (24, 24), (65_535, 247)]
    )
    func announced(_ announced: Int, _ expected: Int) async throws {
        let listener = try SocketListener(path: directory.socket, attMTU: 247)
        let peer = RawSocketPeer.connecting(to: directory.socket)
        peer.send([0x01] + SocketFrame.helloPayload(attMTU: announced))
        #expect(try await listener.accept().limits.attMTU == expected)
    }

    //= SOCKET-1
    @Test("The hello is what the format says")
    func hello() {
        #expect([0x01] + SocketFrame.helloPayload(attMTU: 517) == RawSocketPeer.hello)
    }

    static let strangeHellos: [([UInt8], String)] = [
        (Array("GET / HTTP/1.1".utf8), "does not use this link protocol"),
        ([0x01], "does not use this link protocol"),
        ([0x04, 1, 2, 3, 4, 5, 6, 7], "does not use this link protocol"),
        ([0x01] + Array("BLEO".utf8) + [9, 0, 1], "version 9"),
        ([0x01] + Array("BLEO".utf8) + [1, 0], "7 bytes"),
        ([0x01] + Array("BLEO".utf8) + [1, 0, 1, 0], "9 bytes"),
        ([UInt8](repeating: 0xff, count: 5000), "does not use this link protocol"),
    ]

    //= SOCKET-2
    @Test(
        "A strange first datagram is an error to its end, and the listener goes on",
        arguments: strangeHellos
    )
    func strangeHello(_ bytes: [UInt8], _ words: String) async throws {
        let error = #expect(throws: SocketError.self) { try SocketFrame.parseHello(bytes) }
        guard case .peerNotUnderstood(let sentence) = error else {
            Issue.record("not \(String(describing: error))")
            return
        }
        #expect(sentence.contains(words))
        let listener = try SocketListener(path: directory.socket)
        let stranger = RawSocketPeer.connecting(to: directory.socket)
        stranger.send(bytes)
        async let accepted = listener.accept()
        // Our hello and our farewell, then the end.
        #expect(await stranger.receive()?.first == 0x01)
        #expect(await stranger.receive()?.first == 0x09)
        #expect(await stranger.receive() == nil)

        let friend = RawSocketPeer.connecting(to: directory.socket)
        friend.send(RawSocketPeer.hello)
        _ = try await accepted
    }

    @Test("A peer has five seconds to say hello")
    func helloTimeout() {
        #expect(SocketTransport.helloTimeout == .seconds(5))
        #expect(SocketError.peerSilent(.seconds(5)).description.contains("5.0 seconds"))
    }

    //= SOCKET-2
    @Test("A peer that stays silent is dropped by a listener, and an error to who connects")
    func silentPeer() async throws {
        let listener = try SocketListener(
            path: directory.socket,
            attMTU: 247,
            inboundLimit: 10,
            helloTimeout: .milliseconds(30)
        )
        let silent = RawSocketPeer.connecting(to: directory.socket)
        let accepting = Task { try await listener.accept() }
        #expect(await silent.receive()?.first == 0x01)
        #expect(await silent.receive()?.first == 0x09)
        #expect(await silent.receive() == nil)
        listener.close()
        await #expect(throws: SocketError.closed) { try await accepting.value }
        let silentListener = RawSocketPeer.listening(at: directory.socket)
        await #expect(throws: SocketError.peerSilent(.milliseconds(30))) {
            try await SocketTransport.connect(
                path: directory.socket,
                attMTU: 247,
                inboundLimit: 10,
                helloTimeout: .milliseconds(30)
            )
        }
        _ = silentListener
    }

    @Test("A peer that leaves before it said anything is passed over")
    func earlyLeaver() async throws {
        let listener = try SocketListener(path: directory.socket)
        for _ in 0..<3 { RawSocketPeer.connecting(to: directory.socket).close() }
        let peer = RawSocketPeer.connecting(to: directory.socket)
        peer.send(RawSocketPeer.hello)
        let link = try await listener.accept()
        peer.send([0x04, 42])
        #expect(try await link.receive() == [Datagram(channel: .data, bytes: [42])])
    }

    @Test("Datagrams right behind the hello are not lost")
    func datagramsBehindHello() async throws {
        let listener = try SocketListener(path: directory.socket)
        let peer = RawSocketPeer.connecting(to: directory.socket)
        peer.send(RawSocketPeer.hello)
        for number: UInt8 in 0..<100 { peer.send([0x02, number]) }
        peer.close()
        let (datagrams, ending) = await (try listener.accept()).collectAll()
        #expect(datagrams.map(\.bytes) == (0..<100).map { [$0] })
        #expect(ending == .closed(.remote))
    }

    // MARK: Datagrams of the link

    //= SOCKET-3
    @Test("Each channel and delivery has its kind; answers come from the stack by itself")
    func kinds() async throws {
        let (link, peer) = try await makeLink()
        try await link.send([7], on: .control, .withoutResponse)
        try await link.send([8], on: .data, .withoutResponse)
        #expect(await peer.receive() == [0x02, 7])
        #expect(await peer.receive() == [0x04, 8])

        peer.send([0x03, 1])
        #expect(await peer.receive() == [0x06])
        peer.send([0x05, 2])
        #expect(await peer.receive() == [0x06])
        peer.send([0x07])
        #expect(await peer.receive() == [0x08])
        #expect(
            try await link.receive() == [
                Datagram(channel: .control, bytes: [1]),
                Datagram(channel: .data, bytes: [2]),
            ]
        )
    }

    @Test("With response, send waits for the peer's answer; so does flush")
    func waitsForAnswer() async throws {
        let (link, peer) = try await makeLink()
        let returned = Tally()
        let task = Task {
            try await link.send([9], on: .control, .withResponse)
            await returned.add()
            try await link.send([9], on: .data, .withResponse)
            await returned.add()
            try await link.flush()
            await returned.add()
        }
        let exchanges: [([UInt8], [UInt8])] = [([3, 9], [6]), ([5, 9], [6]), ([7], [8])]
        for (index, (question, answer)) in exchanges.enumerated() {
            #expect(await peer.receive() == question)
            await letOthersRun()
            #expect(await returned.count == index)
            peer.send(answer)
        }
        try await task.value
    }

    @Test("An answer that comes after its send was cancelled is not taken for the next one")
    func lateAnswer() async throws {
        let (link, peer) = try await makeLink()
        let first = Task { try await link.send([1], on: .data, .withResponse) }
        #expect(await peer.receive() == [0x05, 1])
        first.cancel()
        await #expect(throws: TransportError.cancelled) { try await first.value }
        let returned = Tally()
        let second = Task {
            try await link.send([2], on: .data, .withResponse)
            await returned.add()
        }
        #expect(await peer.receive() == [0x05, 2])
        peer.send([0x06])
        await letOthersRun()
        #expect(await returned.count == 0)
        peer.send([0x06])
        try await second.value
    }

    static let violations: [([UInt8], String)] = [
        ([0x00, 1], "unknown kind 0"),
        ([0x0a], "unknown kind 10"),
        ([0xff, 1, 2], "unknown kind 255"),
        ([], "empty packet"),
        ([0x02], "control datagram of 0 bytes"),
        ([0x04], "data datagram of 0 bytes"),
        ([0x05] + [UInt8](repeating: 0, count: 245), "dataWithResponse datagram of 245 bytes"),
        ([0x04] + [UInt8](repeating: 0, count: 2000), "data datagram of 2000 bytes"),
        ([0x06], "never made"),
        ([0x08], "never made"),
        ([0x06, 1], "response datagram of 1 bytes"),
        ([0x07, 1], "barrier datagram of 1 bytes"),
        ([0x09], "closing datagram of 0 bytes"),
        (RawSocketPeer.hello, "hello twice"),
    ]

    //= SOCKET-4
    @Test(
        "What breaks the link protocol ends the link with a sentence, after what came before",
        arguments: violations
    )
    func violation(_ bytes: [UInt8], _ words: String) async throws {
        let (link, peer) = try await makeLink()
        peer.send([0x04, 1])
        peer.send(bytes)
        let (datagrams, ending) = await link.collectAll()
        #expect(datagrams.map(\.bytes) == [[1]])
        guard case .closed(.failed(let sentence)) = ending else {
            Issue.record("not \(ending)")
            return
        }
        #expect(sentence.contains(words))
        #expect(link.closeReason == .failed(sentence))
        await #expect(throws: TransportError.closed(.failed(sentence))) {
            try await link.send([1], on: .data, .withoutResponse)
        }
    }

    @Test("Random datagrams never trap and never pass the limits", arguments: 1...20)
    func noise(_ seed: UInt64) async throws {
        let (link, peer) = try await makeLink()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let byteCount = generator.next(in: 0...300)
            var bytes = (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            // Mostly kinds that exist, or the first datagram would end nearly every link.
            if byteCount > 0 { bytes[0] = UInt8(generator.next(in: 2...9)) }
            peer.send(bytes)
        }
        peer.close()
        let (datagrams, ending) = await link.collectAll()
        #expect(datagrams.allSatisfy { (1...244).contains($0.bytes.count) }, "seed \(seed)")
        guard case .closed = ending else {
            Issue.record("\(ending), seed \(seed)")
            return
        }
    }

    // MARK: Peers that stop reading, and peers that die

    @Test("A full socket buffer holds the sender back and loses nothing")
    func backPressure() async throws {
        let count = 3000
        let (link, peer) = try await makeLink()
        let sent = Tally()
        let sender = Task {
            for number in 0..<count {
                try await link.send(numbered(number, byteCount: 244), on: .data, .withoutResponse)
                await sent.add()
            }
        }
        await sent.reaches(50)
        await letOthersRun()
        // The kernel's default buffer of 208 KiB holds fewer than a thousand of these.
        #expect(await sent.count < count)
        for number in 0..<count {
            #expect(await peer.receive() == [0x04] + numbered(number, byteCount: 244))
        }
        try await sender.value
    }

    enum Ending: CaseIterable { case closedHere, killed, cancelled }

    @Test("A sender held back by a full socket buffer is let go", arguments: Ending.allCases)
    func endingOfHeldBackSender(_ ending: Ending) async throws {
        let (link, peer) = try await makeLink()
        let sent = Tally()
        let sender = Task {
            while true {
                try await link.send(numbered(1, byteCount: 244), on: .data, .withoutResponse)
                await sent.add()
            }
        }
        await sent.reaches(50)
        await letOthersRun()
        let expected: TransportError
        switch ending {
        case .closedHere: link.close(.local); expected = .closed(.local)
        case .killed: peer.close(); expected = .closed(.remote)
        case .cancelled: sender.cancel(); expected = .cancelled
        }
        await #expect(throws: expected) { try await sender.value }
        if ending == .cancelled {
            // Still usable: what was sent can be read, and so can what follows.
            for _ in 0..<(await sent.count) { #expect(await peer.receive()?.count == 245) }
            try await link.send([5], on: .control, .withoutResponse)
            #expect(await peer.receive() == [0x02, 5])
        }
    }

    @Test("A barrier or response that never comes is ended by a close", arguments: [true, false])
    func closeWakesWhoWaitsForAnswers(_ isFlush: Bool) async throws {
        let (link, peer) = try await makeLink()
        let task = Task {
            if isFlush { try await link.flush() }
            if !isFlush { try await link.send([1], on: .data, .withResponse) }
        }
        #expect(await peer.receive() != nil)
        peer.close()
        await #expect(throws: TransportError.closed(.remote)) { try await task.value }
    }

    @Test(
        "What a killed peer had sent is delivered first, also when it left things unread",
        arguments: [true, false]
    )
    func killedPeer(_ leavesUnread: Bool) async throws {
        let (link, peer) = try await makeLink()
        if leavesUnread {
            for _ in 0..<5 { try await link.send([1], on: .data, .withoutResponse) }
        }
        for number: UInt8 in 0..<200 { peer.send([0x04, number]) }
        peer.close()
        let (datagrams, ending) = await link.collectAll()
        #expect(datagrams.map(\.bytes) == (0..<200).map { [$0] })
        #expect(ending == .closed(.remote))
        await #expect(throws: TransportError.closed(.remote)) {
            try await link.send([1], on: .data, .withoutResponse)
        }
    }

    @Test("A peer that only stops reading is noticed at the next send", arguments: [0, 1, 64, 128])
    func deafPeer(_ count: Int) async throws {
        let (link, peer) = try await makeLink()
        for number in 0..<count { peer.send([0x04, UInt8(number)]) }
        shutdown(peer.descriptor, Int32(SHUT_RD))
        await #expect(throws: TransportError.closed(.remote)) {
            try await link.send([1], on: .data, .withoutResponse)
        }
        #expect(await link.collectAll().datagrams.count == count)
    }

    @Test(
        "A farewell tells of an overflow, and an unknown one that the peer has gone",
        arguments: [(0, CloseReason.remote), (1, .overflow), (77, .remote)]
            as [(UInt8, CloseReason)]
    )
    func farewell(_ code: UInt8, _ expected: CloseReason) async throws {
        let (link, peer) = try await makeLink()
        peer.send([0x09, code])
        #expect(await link.collectAll().ending == .closed(expected))
    }

    @Test(
        "This end says farewell",
        arguments: [(.local, 0), (.overflow, 1)] as [(CloseReason, UInt8)]
    )
    func ownFarewell(_ reason: CloseReason, _ code: UInt8) async throws {
        let (link, peer) = try await makeLink()
        link.close(reason)
        #expect(await peer.receive() == [0x09, code])
        #expect(await peer.receive() == nil)
    }

    // MARK: Descriptors

    @Test("Two hundred links leave no descriptor behind, however they end")
    func descriptorsComeBack() async throws {
        let before = Self.descriptorCount
        for round in 0..<200 {
            let isToFail = round.isMultiple(of: 4)
            let listener = try SocketListener(
                path: directory.socket,
                attMTU: 247,
                inboundLimit: 10,
                helloTimeout: isToFail ? .milliseconds(1) : SocketTransport.helloTimeout
            )
            let accepting = Task { try await listener.accept() }
            if isToFail {
                let peer = RawSocketPeer.connecting(to: directory.socket)
                if round.isMultiple(of: 8) { peer.send([1, 2, 3]) }
                while await peer.receive() != nil {}
                listener.close()
                await #expect(throws: SocketError.self) { try await accepting.value }
            } else {
                let link = try await SocketTransport.connect(path: directory.socket)
                let other = try await accepting.value
                if round.isMultiple(of: 3) { link.close(.local) }
                if round.isMultiple(of: 5) { other.close(.local) }
            }
            if round.isMultiple(of: 2) { listener.close() }
        }
        // The loop gives them back in its own time. Other tests run at the same time, but
        // never hold a hundred; a leak would be more than a thousand.
        while Self.descriptorCount > before + 100 { await Task.yield() }
        #expect(directory.names.isEmpty)
    }

    private static var descriptorCount: Int {
        guard let stream = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}
