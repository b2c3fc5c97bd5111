import BLEOTATestSupport
import Testing

@testable import BLEOTA

/// Packets as bytes of a serial line, and what is found in bytes that are none.
@Suite("SLIP")
struct SLIPTests {
    private static let end: UInt8 = 0xC0
    private static let escape: UInt8 = 0xDB

    /// The packets that a decoder finds.
    private func packets(in line: some Sequence<UInt8>, byteCountMax: Int = 513) -> [[UInt8]] {
        var decoder = SLIPDecoder(byteCountMax: byteCountMax)
        return line.compactMap { decoder.take($0) }
    }

    //= SERIAL-1
    @Test("Each byte value is sent as itself, but for two, and comes back")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let middle: [UInt8] =
                switch byte {
                case 0xC0: [0xDB, 0xDC]
                case 0xDB: [0xDB, 0xDD]
                default: [byte]
                }
            #expect(SLIPEncoder.encoded([byte]) == [0xC0] + middle + [0xC0])
            #expect(packets(in: SLIPEncoder.encoded([byte])) == [[byte]])
            #expect(packets(in: SLIPEncoder.encoded([1, byte, byte])) == [[1, byte, byte]])
        }
    }

    @Test("A packet of nothing but escaped bytes is twice as long, and passes at every length")
    func lengths() {
        for byteCount in 1...513 {
            let packet = [UInt8](
                repeating: byteCount.isMultiple(of: 2) ? 0xC0 : 0xDB,
                count: byteCount
            )
            let line = SLIPEncoder.encoded(packet)
            #expect(line.count == 2 * byteCount + 2)
            #expect(packets(in: line) == [packet])
        }
    }

    //= SERIAL-3
    @Test("One end between two packets is enough, and any number is as good")
    func ends() {
        for count in 1...5 {
            let ends = [UInt8](repeating: Self.end, count: count)
            #expect(packets(in: ends + [1, 2] + ends + [3] + ends) == [[1, 2], [3]])
            #expect(packets(in: ends) == [])
        }
    }

    //= SERIAL-4
    @Test("An escape before any other byte takes the packet with it, and no other")
    func wrongEscape() {
        let next = SLIPEncoder.encoded([7, 8])
        for byte in UInt8.min...UInt8.max where ![0xDC, 0xDD, Self.end].contains(byte) {
            #expect(packets(in: [Self.end, 1, Self.escape, byte, 2] + next) == [[7, 8]])
        }
        // The end of a packet is its end, also where it was to be something else.
        let cut = [Self.end, 1, Self.escape] + next
        #expect(packets(in: cut) == [[7, 8]])
    }

    //= SERIAL-4
    @Test("A packet that is one byte too long is dropped, however far it goes, and no other")
    func tooLong() {
        let next = SLIPEncoder.encoded([7])
        for excess in [1, 2, 3, 1_000_000] {
            let long = SLIPEncoder.encoded([UInt8](repeating: 5, count: 10 + excess))
            #expect(packets(in: long + next, byteCountMax: 10) == [[7]])
        }
        let longest = [UInt8](repeating: Self.end, count: 10)
        #expect(packets(in: SLIPEncoder.encoded(longest), byteCountMax: 10) == [longest])
        let escaped = [UInt8](repeating: Self.escape, count: 11)
        #expect(packets(in: SLIPEncoder.encoded(escaped) + next, byteCountMax: 10) == [[7]])
    }

    @Test("Who comes in the middle gets every packet from the next one on, and nothing else")
    func joining() {
        var random = TestSeed(TestSeed.rounds(1, of: "Joining a line")[0])
        let sent = (0..<20).map { _ in Self.packet(&random) }
        let lines = sent.map(SLIPEncoder.encoded)
        let line = lines.flatMap(\.self)
        var starts: [Int] = []
        for packet in lines { starts.append((starts.last ?? 0) + packet.count) }
        starts = [0] + starts.dropLast()
        for offset in line.indices {
            let whole = starts.firstIndex { $0 >= offset } ?? sent.count
            #expect(packets(in: line[offset...]) == Array(sent[whole...]), "from \(offset)")
        }
    }

    @Test("A damaged byte costs no packet but its own")
    func damage() {
        for seed in TestSeed.rounds(20, of: "Damage on a line") {
            var random = TestSeed(seed)
            let sent = (0..<8).map { _ in Self.packet(&random) }
            let lines = sent.map(SLIPEncoder.encoded)
            let line = lines.flatMap(\.self)
            let owners = lines.enumerated().flatMap { index, bytes in bytes.map { _ in index } }
            for place in line.indices {
                var damaged = line
                damaged[place] = UInt8.random(in: .min ... .max, using: &random)
                let others = sent.indices.filter { $0 != owners[place] }.map { sent[$0] }
                let found = packets(in: damaged)
                #expect(Self.isSubsequence(others, of: found), "seed \(seed), byte \(place)")
                #expect(found.count <= sent.count + 1, "seed \(seed), byte \(place)")
            }
        }
    }

    @Test("Noise gives no packet that is empty or too long, and hides none that follows")
    func noise() {
        for seed in TestSeed.rounds(200, of: "Noise on a line") {
            var random = TestSeed(seed)
            let byteCountMax = Int.random(in: 1...600, using: &random)
            var decoder = SLIPDecoder(byteCountMax: byteCountMax)
            // Half of it from the bytes that mean something, or few packets would ever end.
            let noise = random.bytes(5_000).map { byte in
                byte < 0x80 ? byte : [0xC0, 0xDB, 0xDC, 0xDD][Int(byte % 4)]
            }
            for byte in noise {
                guard let packet = decoder.take(byte) else { continue }
                #expect((1...byteCountMax).contains(packet.count), "seed \(seed)")
            }
            let found = SLIPEncoder.encoded([42]).compactMap { decoder.take($0) }
            #expect(found.last == [42], "seed \(seed)")
        }
    }

    private static func packet(_ random: inout TestSeed) -> [UInt8] {
        random.bytes(Int.random(in: 1...30, using: &random)).map { byte in
            byte < 0xA0 ? byte : [0xC0, 0xDB, 0xDC, 0xDD][Int(byte % 4)]
        }
    }

    private static func isSubsequence(_ few: [[UInt8]], of many: [[UInt8]]) -> Bool {
        var rest = many[...]
        for packet in few {
            guard let index = rest.firstIndex(of: packet) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
