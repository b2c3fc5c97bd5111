import BLEOTAWire
import Testing

@Suite("Receipt bitmap")
struct ReceivedBitmapTests {
    @Test("A bitmap of every bit count from 0 to 512 says how long it is and comes back in an ACK")
    func everyBitCount() {
        for bitCount in 0...ReceivedBitmap.bitCount {
            let full = Sample.bitmap(settingBits: 0..<bitCount)
            let last = Sample.bitmap(settingBits: bitCount == 0 ? [] : [bitCount - 1])
            for bitmap in [full, last] {
                #expect(bitmap.endIndex == bitCount)
                #expect(bitmap.byteCount == (bitCount + 7) / 8)
                #expect(afterTheLink(bitmap) == bitmap)
            }
        }
    }

    @Test("Bit i is bit i mod 8 of byte i div 8 on the wire, and alone")
    func place() {
        for bit in 0..<ReceivedBitmap.bitCount {
            let bitmap = Sample.bitmap(settingBits: [bit])
            let bytes = Wire.bytes(
                of: .acknowledgement(Sample.acknowledgement(bitmap: bitmap)),
                session: Sample.session
            )
            var expected = [UInt8](repeating: 0, count: bit / 8 + 1)
            expected[bit / 8] = 1 << (bit % 8)
            #expect(Array(bytes[13..<bytes.count - 2]) == expected)
            let set = (0..<ReceivedBitmap.bitCount).filter { bitmap[$0] }
            guard set == [bit] else {
                Issue.record("bit \(bit) also sets \(set)")
                return
            }
        }
    }

    @Test("Setting and clearing bits agrees with a set of numbers")
    func model() {
        var random = SeededGenerator()
        var bitmap = ReceivedBitmap()
        var model: Set<Int> = []
        for _ in 0..<3_000 {
            let bit = Int.random(in: 0..<ReceivedBitmap.bitCount, using: &random)
            let isSet = Bool.random(using: &random)
            bitmap[bit] = isSet
            if isSet { model.insert(bit) } else { model.remove(bit) }
            #expect(bitmap.endIndex == (model.max().map { $0 + 1 } ?? 0))
        }
        #expect(Set((0..<ReceivedBitmap.bitCount).filter { bitmap[$0] }) == model)
    }

    @Test("Two bitmaps are equal, and hash alike, when the same bits are set")
    func equality() {
        var cleared = Sample.bitmap(settingBits: [3, 100, 500])
        #expect(cleared != ReceivedBitmap())
        for bit in [3, 100, 500] { cleared[bit] = false }
        #expect(cleared == ReceivedBitmap())
        #expect(cleared.hashValue == ReceivedBitmap().hashValue)
        let different = Set((0..<ReceivedBitmap.bitCount).map { Sample.bitmap(settingBits: [$0]) })
        #expect(different.count == ReceivedBitmap.bitCount)
    }

    private func afterTheLink(_ bitmap: ReceivedBitmap) -> ReceivedBitmap? {
        let sent = Sample.acknowledgement(bitmap: bitmap)
        let bytes = Wire.bytes(of: .acknowledgement(sent), session: Sample.session)
        guard
            case .success(.acknowledgement(let received)) =
                Wire.fromReceiver(bytes, session: Sample.session)
        else { return nil }
        return received.bitmap
    }
}
