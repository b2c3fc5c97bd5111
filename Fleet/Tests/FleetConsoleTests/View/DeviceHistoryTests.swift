import FleetModel
import Testing

@testable import FleetConsole

@Suite("A device's history")
struct DeviceHistoryTests {
    private func news(_ records: DeviceRecord...) -> [DeviceHistory.News] {
        let revisions = records.enumerated().map {
            DeviceHistory.Revision($1, at: Sample.at(UInt64($0)))
        }
        return DeviceHistory(revisions).events.reversed().map(\.news)
    }

    @Test("A whole campaign, the newest first")
    func whole() {
        let records = [
            Sample.device(1), Sample.device(1, .given), Sample.device(1, .given, .lent),
            Sample.device(1, .given, .lent, .succeeded),
        ]
        let history = DeviceHistory(
            records.enumerated().map { .init($1, at: Sample.at(UInt64($0))) }
        )
        #expect(
            history.events.map(\.news) == [
                .updated(Sample.new), .lent(Sample.east, Turn(1)), .given(Sample.spring),
                .known(.idle, Sample.old),
            ]
        )
        #expect(history.events.map(\.moment) == [3, 2, 1, 0].map(Sample.at))
    }

    @Test("Failures, attempts that follow, and gateways that fall silent")
    func failures() {
        let plan = Sample.plan(attempts: 2)
        let lent = Sample.device(1, .given, .lent, of: plan)
        let retry = Sample.device(1, .given, .lent, .failed(Sample.silence), of: plan)
        #expect(
            news(lent, retry) == [
                .known(.updating, Sample.old),
                .retry(attempt: 2, notBefore: Sample.at(60), after: Sample.silence),
            ]
        )
        let failed = Sample.device(1, .given, .lent, .failed(Sample.refusal))
        #expect(news(lent, failed).last == .failed(Sample.refusal))
        #expect(news(lent, Sample.device(1, .given, .lent, .ended)).last == .returned(Sample.east))
    }

    @Test("What a device says of itself")
    func version() {
        var newer = Sample.device(1)
        newer.version = Sample.new
        newer.group = GroupName("hall")
        #expect(
            news(Sample.device(1), newer).dropFirst() == [
                .group(GroupName("hall")), .version(Sample.new),
            ]
        )
        #expect(DeviceHistory([]).events.isEmpty)
    }
}
