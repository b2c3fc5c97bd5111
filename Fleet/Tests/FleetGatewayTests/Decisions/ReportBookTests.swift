import FleetModel
import Testing

@Suite("When a gateway writes a report")
struct ReportBookTests {
    private static let outcomes: [Report.News] = [
        .succeeded, .failed(Failure(.refused, "no")), .returned,
    ]

    @Test("Progress is written at once, then every 5 s, if there is any")
    func progress() {
        var book = ReportBook()
        book.note(Sample.report(1, Sample.working(10)), of: Sample.device)
        #expect(Self.due(book, 0) == [Sample.report(1, Sample.working(10))])
        book.wrote(Sample.report(1, Sample.working(10)), of: Sample.device, at: Sample.at(0))
        #expect(Self.due(book, 100_000).isEmpty)
        // The same again, or less, is no progress.
        book.note(Sample.report(1, Sample.working(10)), of: Sample.device)
        book.note(Sample.report(1, Sample.working(9)), of: Sample.device)
        #expect(Self.due(book, 100_000).isEmpty)
        book.note(Sample.report(1, Sample.working(11)), of: Sample.device)
        #expect(Self.due(book, 4_999).isEmpty)
        #expect(Self.due(book, 5_000) == [Sample.report(1, Sample.working(11))])
    }

    @Test("An outcome is written at once, stays until it is written, and is the last of its turn")
    func outcome() {
        for outcome in Self.outcomes {
            var book = ReportBook()
            book.note(Sample.report(1, Sample.working(10)), of: Sample.device)
            book.wrote(Sample.report(1, Sample.working(10)), of: Sample.device, at: Sample.at(0))
            book.note(Sample.report(1, outcome), of: Sample.device)
            #expect(Self.due(book, 1) == [Sample.report(1, outcome)])
            #expect(!book.isSettled)
            // What comes late changes nothing.
            for late in Self.outcomes + [Sample.working(99)] {
                book.note(Sample.report(1, late), of: Sample.device)
            }
            // Nor does it that an older report has been written.
            book.wrote(Sample.report(1, Sample.working(10)), of: Sample.device, at: Sample.at(2))
            #expect(Self.due(book, 1_000_000) == [Sample.report(1, outcome)])
            book.wrote(Sample.report(1, outcome), of: Sample.device, at: Sample.at(3))
            #expect(Self.due(book, 2_000_000).isEmpty)
            #expect(book.isSettled)
        }
    }

    @Test("Another turn begins anew, and the reports of the old one are forgotten")
    func turns() {
        for old in Self.outcomes + [Sample.working(50)] {
            var book = ReportBook()
            book.note(Sample.report(1, old), of: Sample.device)
            book.drop(Sample.device, unlessOf: Turn(1))
            #expect(Self.due(book, 0) == [Sample.report(1, old)])
            book.drop(Sample.device, unlessOf: Turn(2))
            #expect(Self.due(book, 0).isEmpty)
            book.note(Sample.report(2, Sample.working(0)), of: Sample.device)
            #expect(Self.due(book, 0) == [Sample.report(2, Sample.working(0))])
            book.wrote(Sample.report(1, old), of: Sample.device, at: Sample.at(0))
            #expect(Self.due(book, 0) == [Sample.report(2, Sample.working(0))])
        }
    }

    @Test("Outcomes are written before progress")
    func sequence() {
        var book = ReportBook()
        let second = DeviceID("lamp-2")!
        book.note(Sample.report(1, Sample.working(1)), of: Sample.device)
        book.note(Sample.report(1, .succeeded), of: second)
        #expect(book.due(at: Sample.at(0)).map(\.0) == [second, Sample.device])
    }

    private static func due(_ book: ReportBook, _ milliseconds: UInt64) -> [Report] {
        book.due(at: Sample.at(milliseconds)).map(\.1)
    }
}
