import BLEOTA
import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTASMP

/// Every phase of an update with every input.
@Suite struct UpdateInputTests {
    private static let hashes = [UpdateTalk.imageHash, UpdateTalk.otherHash]

    @Test(
        "any sequence of inputs, right or wrong, ends with an outcome or an error, and never traps"
    )
    func anySequence() throws {
        for seed in TestSeed.rounds(TestScope.choose(3_000, full: 100_000)) {
            var random = TestSeed(seed)
            var talk = UpdateTalk(
                imageByteCount: 1 + random.below(2_000),
                activation: UpdateOptions.Activation.allCases[random.below(4)],
                isForced: random.chance(50),
                awaitsConfirmation: random.chance(20)
            )
            do {
                for _ in 0..<60 { try Self.input(&talk, &random) }
            } catch is SMPFailure {
                // The driver would report it, and end.
            }
        }
    }

    private static func input(_ talk: inout UpdateTalk, _ random: inout TestSeed) throws {
        switch random.below(10) {
        case 0: talk.linkUp()
        case 1: talk.linkDown()
        case 2: try talk.pass(seconds: random.below(4))
        case 3: try talk.update.received(random.bytes(random.below(40)), at: talk.now)
        default:
            guard let packet = try packet(talk.next()) else { return }
            try talk.reply(to: packet, reply(&random))
        }
    }

    private static func packet(_ action: SMPUpdate.Action?) -> [UInt8]? {
        switch action {
        case .request(let request, let sequence): request.packet(sequence: sequence)
        case .upload(let chunk, let sequence):
            chunk.packet(sequence: sequence, data: [UInt8](repeating: 0, count: chunk.byteCount))
        default: nil
        }
    }

    private static func reply(_ random: inout TestSeed) -> [CBORPair] {
        switch random.below(6) {
        case 0: return [CBORPair("rc", .integer(Int64(random.below(12))))]
        case 1:
            let code = CBORPair("rc", .integer(Int64(random.below(40))))
            return [CBORPair("err", .map([CBORPair("group", .integer(1)), code]))]
        case 2:
            return [
                CBORPair("buf_size", .integer(Int64(random.below(3_000)) - 10)),
                CBORPair("buf_count", .integer(Int64(random.below(10)) - 2)),
            ]
        case 3: return [CBORPair("off", .integer(Int64(random.below(2_100)) - 20))]
        case 4: return []
        default:
            let slots = (0..<random.below(4)).map { number in
                UpdateTalk.slot(
                    number,
                    hashes[random.below(2)],
                    active: random.chance(40),
                    confirmed: random.chance(50),
                    pending: random.chance(20),
                    permanent: random.chance(20)
                )
            }
            return [CBORPair("images", .array(slots))]
        }
    }
}
