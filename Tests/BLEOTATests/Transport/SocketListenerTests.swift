import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// The socket file: who may have it, who removes it, and what is said when it can't be had.
@Suite(.timeLimit(.minutes(2)))
struct SocketListenerTests {
    private let directory = SocketDirectory()

    @Test("The file is there while the listener is", arguments: [true, false])
    func fileComesAndGoes(_ isClosed: Bool) throws {
        var listener: SocketListener? = try SocketListener(path: directory.socket)
        #expect(listener?.path == directory.socket)
        #expect(directory.names == ["link"])
        if isClosed { listener?.close() } else { listener = nil }
        #expect(directory.names == [])
        listener?.close()
    }

    @Test("A socket file that a killed process left is replaced")
    func staleFile() async throws {
        RawSocketPeer.listening(at: directory.socket).close()
        #expect(directory.names == ["link"])
        let listener = try SocketListener(path: directory.socket)
        async let accepted = listener.accept()
        let link = try await SocketTransport.connect(path: directory.socket)
        try await link.send([1], on: .data, .withoutResponse)
        #expect(try await accepted.receive().count == 1)
    }

    @Test("A path that is listened on is taken, and its listener is not disturbed")
    func livePath() async throws {
        let listener = try SocketListener(path: directory.socket)
        for _ in 0..<3 {
            #expect(throws: SocketError.pathTaken(directory.socket)) {
                try SocketListener(path: directory.socket)
            }
        }
        async let accepted = listener.accept()
        _ = try await SocketTransport.connect(path: directory.socket)
        _ = try await accepted
    }

    /// Anybody may lock a directory that they can read.
    @Test("A process that locks the directory keeps nobody from listening", .timeLimit(.minutes(1)))
    func lockedDirectory() throws {
        RawSocketPeer.listening(at: directory.socket).close()
        let parent = directory.socket.removingLastComponent()
        let lock = open(parent.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX) == 0)
        let listener = try SocketListener(path: directory.socket)
        #expect(directory.names == ["link"])
        listener.close()
        close(lock)
    }

    @Test("Where more peers wait than the listener lets wait, one more waits for its turn")
    func busyListener() async throws {
        let listener = RawSocketPeer.listening(at: directory.socket, backlog: 0)
        let first = RawSocketPeer.connecting(to: directory.socket)
        let start = ContinuousClock.now
        await #expect(throws: SocketError.listenerBusy(directory.socket)) {
            try await SocketTransport.connect(
                path: directory.socket,
                attMTU: 23,
                inboundLimit: 8,
                helloTimeout: .milliseconds(200)
            )
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))

        async let link = SocketTransport.connect(
            path: directory.socket,
            attMTU: 23,
            inboundLimit: 8,
            helloTimeout: .seconds(60)
        )
        let accepted = await [listener.acceptingNext(), listener.acceptingNext()]
        accepted[1].send(RawSocketPeer.hello)
        #expect(try await link.limits.attMTU == 23)
        withExtendedLifetime((first, accepted)) {}
    }

    @Test("A path listened on by something else is taken too")
    func pathOfOther() throws {
        let other = RawSocketPeer.listening(at: directory.socket)
        #expect(throws: SocketError.pathTaken(directory.socket)) {
            try SocketListener(path: directory.socket)
        }
        _ = other
    }

    @Test("Any other file is an error and stays as it is")
    func otherFile() throws {
        let path = directory.socket
        let file = try FileDescriptor.open(
            path,
            .writeOnly,
            options: .create,
            permissions: .ownerReadWrite
        )
        try file.closeAfter { _ = try file.writeAll("precious".utf8) }
        #expect(throws: SocketError.notASocket(path)) { try SocketListener(path: path) }
        var status = stat()
        #expect(path.withPlatformString { lstat($0, &status) } == 0 && status.st_size == 8)

        let link = directory.path.appending("symbolic")
        let made = path.withPlatformString { path in link.withPlatformString { symlink(path, $0) } }
        #expect(made == 0)
        #expect(throws: SocketError.notASocket(link)) { try SocketListener(path: link) }
    }

    @Test("A listener never removes a file that is not its own")
    func foreignFile() throws {
        let listener = try SocketListener(path: directory.socket)
        #expect(directory.socket.withPlatformString { unlink($0) } == 0)
        let successor = try SocketListener(path: directory.socket)
        listener.close()
        #expect(directory.names == ["link"])
        successor.close()
        listener.close()
        #expect(directory.names == [])
    }

    @Test("A listener that is closed again does not remove its successor's file")
    func closedAgain() throws {
        // File systems give a new file the inode number of one just removed, so that the number
        // alone would not tell them apart.
        for _ in 0..<20 {
            let listener = try SocketListener(path: directory.socket)
            listener.close()
            let successor = try SocketListener(path: directory.socket)
            listener.close()
            #expect(directory.names == ["link"])
            successor.close()
        }
    }

    @Test("Of many that start at once on a stale file, one gets it", arguments: 1...5)
    func race(_ round: Int) async throws {
        RawSocketPeer.listening(at: directory.socket).close()
        let path = directory.socket
        let listeners = await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    do throws(SocketError) {
                        return try SocketListener(path: path) as SocketListener?
                    } catch {
                        #expect(error == .pathTaken(path))
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
        }
        #expect(listeners.count == 1)
        listeners.first?.close()
    }

    @Test("A path of 107 bytes works and one of 108 does not")
    func longPath() async throws {
        let room = 107 - directory.path.string.utf8.count - 1
        let longest = directory.path.appending(String(repeating: "x", count: room))
        let listener = try SocketListener(path: longest)
        async let accepted = listener.accept()
        _ = try await SocketTransport.connect(path: longest)
        _ = try await accepted

        let tooLong = directory.path.appending(String(repeating: "x", count: room + 1))
        let expected = SocketError.pathTooLong(tooLong, byteCount: 108, limit: 107)
        #expect(throws: expected) { try SocketListener(path: tooLong) }
        await #expect(throws: expected) { try await SocketTransport.connect(path: tooLong) }
        #expect(expected.description.contains("107"))
    }

    @Test("Where nobody listens nobody is reached")
    func nobody() async throws {
        let expected = SocketError.nobodyListens(directory.socket)
        await #expect(throws: expected) {
            try await SocketTransport.connect(path: directory.socket)
        }
        RawSocketPeer.listening(at: directory.socket).close()
        await #expect(throws: expected) {
            try await SocketTransport.connect(path: directory.socket)
        }
    }

    @Test("A directory that is not there is the system's refusal")
    func missingDirectory() {
        #expect(throws: SocketError.system(call: "open", .noSuchFileOrDirectory)) {
            try SocketListener(path: "/nowhere/at/all")
        }
        #expect(throws: SocketError.system(call: "bind", .noSuchFileOrDirectory)) {
            try SocketListener(path: "")
        }
    }

    @Test("Closing wakes who accepts, and ends accepting for good")
    func closeWakesAccept() async throws {
        let listener = try SocketListener(path: directory.socket)
        let accepting = Task { try await listener.accept() }
        await letOthersRun()
        listener.close()
        await #expect(throws: SocketError.closed) { try await accepting.value }
        await #expect(throws: SocketError.closed) { try await listener.accept() }
    }

    @Test("A cancelled accept leaves the listener usable, also in the middle of a hello")
    func cancelledAccept() async throws {
        let listener = try SocketListener(path: directory.socket)
        for connects in [false, true] {
            let silent = connects ? RawSocketPeer.connecting(to: directory.socket) : nil
            let accepting = Task { try await listener.accept() }
            // Our hello is the sign that the exchange has begun.
            if connects {
                #expect(await silent?.receive()?.first == 0x01)
            } else {
                await letOthersRun()
            }
            accepting.cancel()
            await #expect(throws: SocketError.cancelled) { try await accepting.value }
        }
        async let accepted = listener.accept()
        _ = try await SocketTransport.connect(path: directory.socket)
        _ = try await accepted
    }

    @Test("Links outlive their listener, and many peers are accepted one after the other")
    func manyPeers() async throws {
        let listener = try SocketListener(path: directory.socket)
        var pairs: [(SocketTransport, SocketTransport)] = []
        for _ in 0..<10 {
            async let accepted = listener.accept()
            let connected = try await SocketTransport.connect(path: directory.socket)
            pairs.append((connected, try await accepted))
        }
        listener.close()
        for (number, (a, b)) in pairs.enumerated() {
            try await a.send(numbered(number), on: .data, .withoutResponse)
            #expect(try await b.receive().map(BLEOTATests.number(of:)) == [number])
        }
    }

    @Test("Every error is one sentence that ends with a full stop")
    func descriptions() {
        let errors: [SocketError] = [
            .pathTooLong("/a", byteCount: 200, limit: 107), .pathTaken("/a"), .notASocket("/a"),
            .nobodyListens("/a"), .listenerBusy("/a"), .peerSilent(.seconds(5)), .peerLeft,
            .peerNotUnderstood("The peer is odd."), .closed, .cancelled,
            .system(call: "bind", .permissionDenied),
        ]
        for error in errors { #expect(error.description.hasSuffix(".")) }
    }
}
