import Synchronization
import SystemPackage
import Testing

@testable import BLEOTA

/// A receiver as an embedder runs it.
@Suite("Receiver of an embedder", .timeLimit(.minutes(2)))
struct FirmwareReceiverTests {
    private let image = RandomImage(seed: 72, byteCount: 50_000)

    @Test("A peer that says nothing and peers that send rubbish neither end it nor keep others out")
    func badPeers() async throws {
        let device = try await ServedSocket()
        let path = FilePath(device.path)
        let silent = try await SocketTransport.connect(path: path)
        var others: [SocketTransport] = []
        for byte in UInt8(0)..<8 {
            let rubbish = try await SocketTransport.connect(path: path)
            for channel in Datagram.Channel.allCases {
                let bytes = [UInt8](repeating: byte &* 37, count: 1 + 20 * Int(byte))
                // A receiver may hang up at any of them.
                try? await rubbish.send(bytes, on: channel, .withoutResponse)
            }
            others.append(rubbish)
        }
        let raw = RawSocketPeer.connecting(to: path)
        _ = try await image.prepared.push(to: device.target)
        try await device.awaits { if case .stored = $0.kind { true } else { false } }
        #expect(await device.store.currentBytes == image.bytes)
        try await device.end()
        withExtendedLifetime((silent, others, raw)) {}
    }

    @Test("Cancelling its task ends the events without an error, in the middle of a transfer too")
    func cancellation() async throws {
        let device = try await ServedSocket()
        var options = PushOptions()
        options.reconnectionLimit = .milliseconds(100)
        let (image, target) = (image, device.slowTarget)
        let push = Task { [options] in
            _ = try await image.prepared.push(to: target, options: options)
        }
        try await device.awaits { if case .started = $0.kind { true } else { false } }
        try await device.end()
        let error = await #expect(throws: TransferError.self) { try await push.value }
        #expect(error?.isRetryable == true)
        try await device.awaits { $0.endingCode == .cancelled }
        let ended = device.events.firstIndex { $0.endingCode != nil }
        let progressed = device.events.lastIndex { event in
            if case .progress = event.kind { true } else { false }
        }
        #expect(progressed ?? -1 < ended ?? -1)
    }

    @Test("A sender that dies ends its transfer at the receiver, with an event that says so")
    func deadSender() async throws {
        let device = try await ServedSocket()
        let path = FilePath(device.path)
        let links = Mutex<[SocketTransport]>([])
        let target = Target.transport("mortal") {
            let link = try await SocketTransport.connect(path: path)
            try links.withLock { links in
                guard links.isEmpty else { throw CancellationError() }
                links.append(link)
            }
            return Slowed(link)
        }
        let image = image
        let push = Task { _ = try await image.prepared.push(to: target) }
        try await device.awaits { if case .started = $0.kind { true } else { false } }
        for link in links.withLock({ $0 }) { link.close(.local) }
        try await device.awaits { $0.endingCode == .linkLost }
        push.cancel()
        await #expect(throws: TransferError.self) { try await push.value }
    }

    @Test("A link that ends without a transfer is no event")
    func idleLink() async throws {
        let device = try await ServedSocket()
        let link = try await SocketTransport.connect(path: FilePath(device.path))
        link.close(.local)
        _ = try await image.prepared.push(to: device.target)
        try await device.awaits { if case .stored = $0.kind { true } else { false } }
        #expect(!device.events.contains { $0.endingCode != nil })
    }

    @Test("An address to which nothing can connect is not worth another attempt")
    func wrongAddress() async throws {
        let directory = SocketDirectory()
        let file = directory.socket.removingLastComponent().appending("image.bin")
        let descriptor = try FileDescriptor.open(
            file,
            .writeOnly,
            options: .create,
            permissions: .ownerReadWrite
        )
        try descriptor.close()
        let long = "/tmp/" + String(repeating: "a", count: 200)
        for path in [file.string, long] {
            let error = await #expect(throws: TransferError.self) {
                try await image.prepared.push(to: .socket(path))
            }
            #expect(error?.code == .cannotConnect)
            #expect(error?.isRetryable == false)
        }
    }

    @Test("Progress at a receiver is complete before the image is stored")
    func order() async throws {
        let device = try await ServedSocket()
        _ = try await image.prepared.push(to: device.target)
        try await device.awaits { if case .stored = $0.kind { true } else { false } }
        let kinds = device.events.map(\.kind)
        guard kinds.count >= 4, case .progress(let progress) = kinds[kinds.count - 2],
            case .stored = kinds[kinds.count - 1]
        else {
            Issue.record("\(device.events)")
            return
        }
        #expect(progress.fractionStored == 1)
    }

    @Test("A place where nobody can listen is an error with a code")
    func noPlace() async throws {
        let receiver = FirmwareReceiver(
            at: .socket("/nowhere/device.socket"),
            storingIn: MemoryStore(),
            accepting: .anyDevice
        )
        let error = await #expect(throws: TransferError.self) { try await receiver.run() }
        #expect(error?.code == .cannotListen)
        #expect(error?.isRetryable == false)
        #expect(error?.description.contains("/nowhere/device.socket") == true)
    }

    @Test("A serial target with a rate that the system does not know fails with a code")
    func unknownRate() async throws {
        let target = Target.serial("/dev/ttyUSB0", baudRate: 1_234)
        let error = await #expect(throws: TransferError.self) {
            try await image.prepared.push(to: target)
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.description.contains("1234") == true)
    }

    @Test("Links of several types can come to one receiver")
    func ownLinks() async throws {
        let store = MemoryStore()
        let (near, far) = StreamTransport.makePair()
        let receiver = FirmwareReceiver(
            at: .transports("here", from: AsyncStream<any Transport> { $0.yield(far) }),
            storingIn: store,
            accepting: .anyDevice
        )
        let serving = Task { try await receiver.run() }
        _ = try await image.prepared.push(to: .transport("here") { near })
        #expect(await store.currentBytes == image.bytes)
        serving.cancel()
        try await serving.value
    }
}

extension ReceiverEvent {
    /// The code of the error that ended a session.
    fileprivate var endingCode: TransferError.Code? {
        guard case .ended(let error) = kind else { return nil }
        return error.code
    }
}
