import BLEOTAWire
import Testing

@Suite("Credit")
struct CreditTests {
    @Test("Every number on the wire is a count up to 16,383, unlimited, or nothing")
    func everyNumber() {
        for number in UInt16.min...UInt16.max {
            let expected: Credit? =
                number <= 16_383 ? .chunks(number) : number == 65_535 ? .unlimited : nil
            let credit = Credit(rawValue: number)
            guard credit == expected, credit.map({ $0.rawValue == number }) ?? true else {
                Issue.record("\(number) is \(String(describing: credit))")
                return
            }
        }
    }

    @Test("What a receiver can place is granted, as far as an ACK can say it")
    func clamping() {
        for chunkCount in [0, 1, 16_382, 16_383] {
            #expect(Credit(clamping: chunkCount) == .chunks(UInt16(chunkCount)))
        }
        for chunkCount in [16_384, 65_535, 65_536, Int.max] {
            #expect(Credit(clamping: chunkCount) == .chunks(16_383))
        }
    }
}
