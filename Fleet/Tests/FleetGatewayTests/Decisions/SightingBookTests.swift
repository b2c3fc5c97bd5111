import FleetModel
import Testing

@Suite("When a gateway writes a sighting")
struct SightingBookTests {
    @Test("A new device is written at once, and then not again before something happens")
    func first() {
        var book = SightingBook()
        #expect(book.due(at: Sample.at(0)).isEmpty)
        book.hear(Sample.heard(), at: Sample.at(0))
        #expect(book.due(at: Sample.at(0)) == [Sample.heard()])
        // It stays due until it is written.
        #expect(book.due(at: Sample.at(90_000)) == [Sample.heard()])
        book.wrote(Sample.heard(), at: Sample.at(90_000))
        #expect(book.due(at: Sample.at(9_000_000)).isEmpty)
    }

    @Test("Each change counts, from 15 s on, and no change from 10 minutes on")
    func everyChange() {
        let changes: [(HeardDevice, isChange: Bool)] = [
            (Sample.heard(), false), (Sample.heard(hardware: "pump"), true),
            (Sample.heard(group: "hall"), true), (Sample.heard(version: Sample.new), true),
            (Sample.heard(dBm: -55), false), (Sample.heard(dBm: -54), true),
            (Sample.heard(dBm: -65), false), (Sample.heard(dBm: -66), true),
        ]
        for (device, isChange) in changes {
            for milliseconds: UInt64 in [0, 14_999, 15_000, 599_999, 600_000, 10_000_000] {
                var book = SightingBook()
                book.hear(Sample.heard(), at: Sample.at(0))
                book.wrote(Sample.heard(), at: Sample.at(0))
                book.hear(device, at: Sample.at(milliseconds))
                let isDue = isChange ? milliseconds >= 15_000 : milliseconds >= 600_000
                #expect(
                    book.due(at: Sample.at(milliseconds)) == (isDue ? [device] : []),
                    "\(device) after \(milliseconds) ms"
                )
            }
        }
    }

    @Test("A change within 15 s is written later, even if the device isn't heard again")
    func early() {
        var book = SightingBook()
        book.hear(Sample.heard(), at: Sample.at(0))
        book.wrote(Sample.heard(), at: Sample.at(0))
        book.hear(Sample.heard(version: Sample.new), at: Sample.at(1))
        #expect(book.due(at: Sample.at(14_999)).isEmpty)
        #expect(book.due(at: Sample.at(15_000)) == [Sample.heard(version: Sample.new)])
    }

    @Test("There are no more pages than the limit, and silent devices lose theirs")
    func limit() {
        var book = SightingBook()
        for number in 0..<SightingBook.devicesMax {
            #expect(book.hear(Self.device(number), at: Sample.at(0)) == true)
        }
        #expect(book.hear(Self.device(-1), at: Sample.at(1_799_999)) == false)
        #expect(book.hear(Self.device(1), at: Sample.at(1_799_999)) == true)
        #expect(book.hear(Self.device(-1), at: Sample.at(1_800_000)) == true)
        #expect(book.due(at: Sample.at(1_800_000)).map(\.id.text) == ["device--1", "device-1"])
    }

    private static func device(_ number: Int) -> HeardDevice {
        HeardDevice(
            id: DeviceID("device-\(number)")!,
            hardware: HardwareName("lamp")!,
            version: Sample.old,
            strength: Strength(dBm: -60)!
        )
    }
}
