import BLEOTACore
import BLEOTATestSupport
import SystemPackage
import Testing

@testable import BLEOTA
@testable import BLEOTASMP

@Suite("Hostile clients of a device with SMP", .timeLimit(.minutes(10)))
struct HostileServerTests {
    @Test("whatever a client sends, each reply can be read, and little waits")
    func machine() {
        for seed in TestSeed.rounds(TestScope.choose(200, full: 5_000)) {
            var client = HostileClient(seed)
            var talk = ServerTalk()
            for _ in 0..<200 {
                talk.isStoreBusy = client.random.chance(5)
                let replies = talk.send(
                    raw: client.next(),
                    pieceByteCount: 1 + client.random.below(600)
                )
                for reply in replies { #expect(reply.content["off"]?.integer ?? 0 >= 0) }
                if talk.isStoreBusy {
                    talk.isStoreBusy = false
                    _ = talk.answer(.failed(.busy))
                }
            }
            for (id, bytes) in talk.uploads { #expect(bytes.count <= id.byteCount) }
        }
    }

    @Test("nothing that a client makes up becomes current or waits")
    func store() async throws {
        for seed in TestSeed.rounds(TestScope.choose(4, full: 100)) {
            let place = ToolDirectory()
            var policy = AcceptancePolicy()
            policy.trustedKeys = [SigningKey.generate().verifyingKey]
            policy.imageByteCountMax = 50_000
            let store = try DirectoryStore(
                directory: place.path("store"),
                imageByteCountLimit: 50_000
            )
            let intake = UploadIntake(
                into: store,
                directory: .init(place.path("store")),
                policy: policy,
                isInstalled: true,
                sharing: Service(into: store, policy: policy) { _, _ in }
            )
            let link = HostileLink(seed, messageCount: 1_000)
            var session = SMPSession(
                SMPGuest(link, name: "a hostile client", carriesWholeMessages: true),
                into: intake,
                identity: ServerIdentity(facts: [])
            ) { event in
                switch event {
                case .staged, .stored, .alreadyCurrent: Issue.record("\(event), seed \(seed)")
                default: break
                }
            }
            await session.run()
            #expect(try await store.current() == nil)
            #expect(await intake.slots().count == 1)
        }
    }
}

/// Makes requests that are nearly right, and others.
struct HostileClient {
    var random: TestSeed
    private static let magic: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96]
    private var offset = 0

    init(_ seed: UInt64) { random = TestSeed(seed) }

    mutating func next() -> [UInt8] {
        if random.chance(10) { return random.bytes(random.below(64)) }
        var writer = CBORWriter()
        writer.write(content())
        var byteCount = writer.bytes.count
        if random.chance(5) { byteCount = random.below(70_000) }
        let header = SMPHeader(
            random.chance(5) ? .readReply : random.chance(40) ? .read : .write,
            version: UInt8(random.below(4)),
            group: random.chance(70) ? 1 : UInt16(random.below(66)),
            command: random.chance(80) ? 1 : UInt8(random.below(10)),
            sequence: UInt8(random.below(256)),
            contentByteCount: byteCount
        )
        var bytes = header.bytes + writer.bytes
        if random.chance(10), !bytes.isEmpty {
            bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
        }
        if random.chance(5) { bytes.removeLast(random.below(bytes.count)) }
        return bytes
    }

    private mutating func content() -> CBORValue {
        var pairs: [CBORPair] = []
        let isFirst = random.chance(20)
        if isFirst { offset = 0 }
        let data =
            (isFirst ? Self.beginning(random.below(3)) : []) + random.bytes(random.below(900))
        add("off", .integer(isFirst ? 0 : number(near: offset)), to: &pairs)
        if isFirst {
            add("len", .integer(number(near: data.count + random.below(3_000))), to: &pairs)
            add("sha", .bytes(random.bytes(random.chance(90) ? 32 : random.below(40))), to: &pairs)
            if random.chance(20) { add("upgrade", .boolean(true), to: &pairs) }
        }
        add("data", .bytes(data), to: &pairs)
        if random.chance(20) { add("hash", .bytes(random.bytes(32)), to: &pairs) }
        if random.chance(20) { add("confirm", .boolean(random.chance(50)), to: &pairs) }
        if random.chance(10) { add("slot", .integer(Int64(random.below(4))), to: &pairs) }
        if random.chance(10) { add("d", .text("x"), to: &pairs) }
        offset += data.count
        return .map(pairs)
    }

    /// The beginning of an MCUboot image, of a bundle, or of neither.
    private static func beginning(_ kind: Int) -> [UInt8] {
        switch kind {
        case 0: magic + [UInt8](repeating: 0, count: 4) + [32, 0, 0, 0, 200, 0, 0, 0]
        case 1: Array("BLB1".utf8) + [1, 0, 0, 0, 82, 0, 0, 0]
        default: []
        }
    }

    private mutating func number(near value: Int) -> Int64 {
        switch random.below(20) {
        case 0: Int64(bitPattern: random.next())
        case 1: -1
        case 2: Int64(UInt32.max)
        default: Int64(value)
        }
    }

    private mutating func add(_ key: String, _ value: CBORValue, to pairs: inout [CBORPair]) {
        if random.chance(3) { return }
        let other: [CBORValue] = [.other, .text("?"), .array([.integer(1)]), .integer(-5)]
        let isOther = random.chance(3)
        pairs.append(CBORPair(key, isOther ? other[random.below(other.count)] : value))
    }
}

/// A link over which a hostile client sends its requests as fast as they are taken.
private final class HostileLink: SMPLink {
    private let state: Monitor<(client: HostileClient, left: Int)>
    let limits = LinkLimits(unstated: SMPServer.limits, isReliable: true)
    let attMTU = 2_475

    init(_ seed: UInt64, messageCount: Int) {
        state = Monitor((HostileClient(seed), messageCount))
    }

    func send(_ packet: [UInt8]) async throws(TransferError) {
        #expect(SMPReply(packet) != nil)
    }

    func receive() async throws(TransferError) -> [[UInt8]] {
        let message = state.update { state -> [UInt8]? in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return state.client.next()
        }
        guard let message else { throw TransferError(.linkLost(.remote)) }
        return [message]
    }

    func close(_ reason: CloseReason) {}
}
