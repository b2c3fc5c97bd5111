import Glibc
import Testing

@testable import DBus

/// The end of a connection, and what is left of it: nothing.
@Suite(.timeLimit(.minutes(2)))
struct BusClosingTests {
    private static let closed = BusError.disconnected("closed by this side")

    @Test("Closing fails what waits and what comes later; closing again does nothing")
    func closing() async throws {
        let pair = try await BusPair()
        let silent = ScriptedObject.silent()
        try await pair.export(silent)
        let waiting = (0..<120).map { _ in Task { try await pair.call("Never") } }
        try await silent.calls.first(BusWorker.callCountMax)
        pair.client.close()
        pair.client.close()
        for task in waiting {
            await #expect(throws: Self.closed) { try await task.value }
        }
        // The thread may still end; afterwards nothing is taken.
        for _ in 0..<2 {
            await #expect(throws: Self.closed) { try await pair.call("Late") }
            await #expect(throws: Self.closed) {
                try await pair.client.emit("Tick", of: BusPair.interface, at: BusPair.path, [])
            }
        }
        pair.client.post(pair.makeCall("Late"))
        pair.client.add(pair.rule)
        pair.client.export(silent, at: .root)
        pair.client.removeObject(at: .root)
        pair.client.onSignal { _ in }.end()
        pair.client.after(.zero) {}
        pair.client.close()
    }

    @Test("What was sent before closing arrives")
    func sentBefore() async throws {
        let pair = try await BusPair()
        let object = ScriptedObject.silent()
        try await pair.export(object)
        for number in 0..<UInt32(500) {
            pair.client.post(
                pair.makeCall("Post", [.uint32(number), .bytes(.init(repeating: 1, count: 1000))])
            )
        }
        pair.client.close()
        let calls = try await object.calls.first(500)
        #expect(calls.map(\.message.body.first) == (0..<500).map { .uint32($0) })
    }

    @Test("Closing while the bus takes nothing ends anyway")
    func stuckBus() async throws {
        let pair = try await BusPair()
        pair.bus.pause()
        let waiting = (0..<96).map { _ in
            Task { try await pair.call("Never", [.bytes([UInt8](repeating: 0, count: 10_000))]) }
        }
        let emitting = Task {
            while true {
                let body = [BusValue.bytes([UInt8](repeating: 0, count: 10_000))]
                try await pair.client.emit("Tick", of: BusPair.interface, at: BusPair.path, body)
            }
        }
        pair.client.close()
        for task in waiting { await #expect(throws: Self.closed) { try await task.value } }
        await #expect(throws: Self.closed) { try await emitting.value }
        pair.bus.resume()
    }

    @Test(
        "Who waits for room on a descriptor goes on when it is there, closed, hung up or given up"
    )
    func awaitWritable() async throws {
        let bus = try PrivateBus()
        let connection = try await bus.connect()
        let (mine, theirs) = BusDescriptor.makeFullPair()
        let cancelled = Task { await connection.awaitWritable(mine) }
        cancelled.cancel()
        #expect(await cancelled.value)

        let waiting = Task { await connection.awaitWritable(mine) }
        try await connection.settle()
        theirs.readAll()
        #expect(await waiting.value)
        await connection.awaitWritable(mine)

        let (full, other) = BusDescriptor.makeFullPair()
        let hungUp = Task { await connection.awaitWritable(full) }
        try await connection.settle()
        other.close()
        #expect(await hungUp.value)

        // The peer sees at once that it is closed, although somebody waits for it.
        let (third, peer) = BusDescriptor.makeFullPair()
        let closing = Task { await connection.awaitWritable(third) }
        try await connection.settle()
        third.close()
        #expect(await closing.value)
        await connection.awaitWritable(third)
        try await until { peer.isHungUp }

        let (fourth, last) = BusDescriptor.makeFullPair()
        let ending = Task { await connection.awaitWritable(fourth) }
        try await connection.settle()
        connection.close()
        // Whoever would wait again is told that nobody can.
        #expect(await !ending.value)
        #expect(await !connection.awaitWritable(fourth))
        withExtendedLifetime(last) {}
    }

    @Test("A dropped connection is gone with its thread, whether the bus is there or not")
    func dropped() async throws {
        let bus = try PrivateBus()
        weak var loop: BusLoop?
        for isThere in [true, false] {
            do {
                let connection = try await bus.connect()
                loop = connection.loop
                let subscription = connection.onSignal { _ in }
                connection.export(ScriptedObject.silent(), at: .root)
                connection.after(.seconds(1_000)) { subscription.end() }
                try await connection.settle()
                if !isThere {
                    bus.kill()
                    await #expect(throws: BusError.self) {
                        while true { try await connection.settle() }
                    }
                }
                subscription.end()
            }
            try await until { loop == nil }
        }
    }

    @Test("Neither threads nor descriptors are left of many connections")
    func leaks() async {
        // In a process of its own, since others open descriptors too.
        await #expect(processExitsWith: .success) {
            let bus = try PrivateBus()
            // What is made once and stays; these may still be on their way out.
            try await useUp(bus)
            let before = ProcessUse.descriptorCount
            for _ in 0..<40 { try await useUp(bus) }
            // Dispatch keeps a few threads for a while. No time limit reaches this process.
            var turnCount = 0
            try await until {
                turnCount += 1
                let isClean = ProcessUse.descriptorCount <= before && ProcessUse.threadCount < 12
                return isClean || turnCount > 30_000
            }
            bus.kill()
            if turnCount > 30_000 {
                let text = "\(before) descriptors before, \(ProcessUse.text) after\n"
                write(STDERR_FILENO, text, text.utf8.count)
                exit(EXIT_FAILURE)
            }
        }
    }
}

/// A connection that is used and dropped without a word, and one that never comes to be.
private func useUp(_ bus: PrivateBus) async throws {
    let server = try await bus.connect()
    let client = try await bus.connect()
    server.export(ScriptedObject.echoing(), at: BusPair.path)
    let name = try await server.currentName()
    var ends: [CInt] = [-1, -1]
    _ = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    let descriptors = ends.map { BusValue.descriptor(BusDescriptor(owning: $0)) }
    let echo = MethodCall(name, at: BusPair.path, BusPair.interface, "Echo", descriptors)
    _ = try await client.call(echo)
    do {
        _ = try await BusConnection.open(.at("unix:path=/nowhere/bus"))
        exit(EXIT_FAILURE)
    } catch {}
}

private enum ProcessUse {
    static var descriptorCount: Int { entryCount("/proc/self/fd") }
    static var threadCount: Int { entryCount("/proc/self/task") }

    static var text: String { "\(descriptorCount) descriptors, \(threadCount) threads" }

    private static func entryCount(_ path: String) -> Int {
        guard let stream = opendir(path) else { return -1 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}

extension BusDescriptor {
    /// Two ends, the first of which takes nothing any more.
    fileprivate static func makeFullPair() -> (BusDescriptor, BusDescriptor) {
        var ends: [CInt] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        while send(ends[0], [0], 1, Int32(MSG_NOSIGNAL)) == 1 {}
        return (BusDescriptor(owning: ends[0]), BusDescriptor(owning: ends[1]))
    }

    fileprivate func readAll() {
        withNumber { number in
            var byte: UInt8 = 0
            while recv(number, &byte, 1, 0) == 1 {}
        }
    }

    fileprivate var isHungUp: Bool {
        withNumber { number in
            var request = pollfd(fd: number, events: 0, revents: 0)
            return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLHUP) != 0
        } ?? false
    }
}
