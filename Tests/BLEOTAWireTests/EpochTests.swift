import BLEOTAWire
import Testing

@Suite("Epoch")
struct EpochTests {
    //= ACK-8
    @Test("Of all pairs, an epoch is older by 1 to 128, the same, or newer, modulo 256")
    func order() {
        for present in UInt8.min...UInt8.max {
            for other in UInt8.min...UInt8.max {
                let age = (Int(present) - Int(other) + 256) % 256
                let isOlder = (1...128).contains(age)
                let isNewer = Epoch(other).isNewer(than: Epoch(present))
                guard isNewer == (age != 0 && !isOlder) else {
                    Issue.record("\(other) against \(present)")
                    return
                }
            }
        }
    }

    //= ACK-2
    @Test("The next epoch is one more modulo 256, and newer")
    func next() {
        for number in UInt8.min...UInt8.max {
            let epoch = Epoch(number)
            #expect(epoch.next.rawValue == number &+ 1)
            #expect(epoch.next.isNewer(than: epoch))
            #expect(!epoch.isNewer(than: epoch.next))
        }
    }
}
