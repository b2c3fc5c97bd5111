import FleetModel
import Testing

@Suite("Whom a gateway asks for its version")
struct VersionBookTests {
    private let lamp = Sample.device
    private let pump = DeviceID("pump")!

    @Test("A device is asked at once, and its answer holds for 10 minutes")
    func answer() {
        var book = VersionBook()
        #expect(book.due(at: Sample.at(0)) == nil)
        #expect(book.hear(lamp, at: Sample.at(0)) == nil)
        #expect(book.due(at: Sample.at(0)) == lamp)
        book.answered(lamp, .version(Sample.old), at: Sample.at(5_000))
        #expect(book.hear(lamp, at: Sample.at(604_999)) == Sample.old)
        #expect(book.due(at: Sample.at(604_999)) == nil)
        // It is still taken for what it was until it says something else.
        #expect(book.hear(lamp, at: Sample.at(605_000)) == Sample.old)
        #expect(book.due(at: Sample.at(605_000)) == lamp)
        book.answered(lamp, .version(Sample.new), at: Sample.at(605_000))
        #expect(book.hear(lamp, at: Sample.at(605_001)) == Sample.new)
    }

    @Test("Silence changes nothing for a minute; an answer without a version, for 10 minutes")
    func noAnswer() {
        let cases: [(VersionBook.Answer, UInt64, FirmwareVersion?)] = [
            (.silence, 60_000, Sample.old), (.noVersion, 600_000, nil),
        ]
        for (said, pause, known) in cases {
            var book = VersionBook()
            _ = book.hear(lamp, at: Sample.at(0))
            book.answered(lamp, .version(Sample.old), at: Sample.at(0))
            book.answered(lamp, said, at: Sample.at(0))
            #expect(book.hear(lamp, at: Sample.at(pause - 1)) == known, "\(said)")
            #expect(book.due(at: Sample.at(pause - 1)) == nil, "\(said)")
            #expect(book.due(at: Sample.at(pause)) == lamp, "\(said)")
        }
    }

    @Test("During a push, a device isn't asked and its answer doesn't count; after it, it is new")
    func push() {
        var book = VersionBook()
        _ = book.hear(lamp, at: Sample.at(0))
        book.answered(lamp, .version(Sample.old), at: Sample.at(0))
        book.beginPush(lamp)
        // The answer to a question from before the push.
        book.answered(lamp, .version(Sample.old), at: Sample.at(1))
        #expect(book.hear(lamp, at: Sample.at(700_000)) == nil)
        #expect(book.due(at: Sample.at(700_000)) == nil)
        book.endPush(lamp, at: Sample.at(700_001))
        #expect(book.hear(lamp, at: Sample.at(700_001)) == nil)
        #expect(book.due(at: Sample.at(700_001)) == lamp)
    }

    @Test("A device that advertises its version is asked only after a push, until that is new")
    func advertised() {
        var book = VersionBook()
        #expect(book.hear(lamp, advertising: Sample.old, at: Sample.at(0)) == Sample.old)
        // Another advertisement of the device has no version, and the daemon may leave it out.
        #expect(book.hear(lamp, at: Sample.at(1)) == Sample.old)
        #expect(book.due(at: Sample.at(1)) == nil)
        book.beginPush(lamp)
        #expect(book.hear(lamp, advertising: Sample.old, at: Sample.at(2)) == nil)
        book.endPush(lamp, at: Sample.at(3))
        // The daemon still has what it heard before the push.
        #expect(book.hear(lamp, advertising: Sample.old, at: Sample.at(4)) == nil)
        #expect(book.due(at: Sample.at(4)) == lamp)
        book.answered(lamp, .version(Sample.new), at: Sample.at(5))
        #expect(book.hear(lamp, advertising: Sample.old, at: Sample.at(6)) == Sample.new)
        #expect(book.due(at: Sample.at(6)) == nil)
        // What it advertises now is new. An answer to an earlier question doesn't count.
        #expect(book.hear(lamp, advertising: Sample.new, at: Sample.at(7)) == Sample.new)
        book.answered(lamp, .version(Sample.old), at: Sample.at(8))
        #expect(book.hear(lamp, at: Sample.at(700_000)) == Sample.new)
        #expect(book.due(at: Sample.at(700_000)) == nil)
        #expect(book.hear(lamp, advertising: Sample.old, at: Sample.at(700_001)) == Sample.old)
    }

    @Test("The device that has waited longest is asked first, and one that is gone isn't asked")
    func order() {
        var book = VersionBook()
        _ = book.hear(pump, at: Sample.at(0))
        _ = book.hear(lamp, at: Sample.at(1))
        #expect(book.due(at: Sample.at(1)) == pump)
        book.answered(pump, .silence, at: Sample.at(2))
        #expect(book.due(at: Sample.at(2)) == lamp)
        #expect(book.due(at: Sample.at(30_000)) == lamp)
        #expect(book.due(at: Sample.at(30_001)) == nil)
    }

    @Test("There are no more pages than the limit, and silent devices lose theirs")
    func limit() {
        var book = VersionBook()
        for number in 0..<VersionBook.devicesMax {
            _ = book.hear(DeviceID("device-\(number)")!, at: Sample.at(0))
        }
        _ = book.hear(lamp, at: Sample.at(1_799_999))
        #expect(!book.has(lamp))
        _ = book.hear(lamp, at: Sample.at(1_800_000))
        #expect(book.has(lamp) && !book.has(DeviceID("device-0")!))
    }
}
