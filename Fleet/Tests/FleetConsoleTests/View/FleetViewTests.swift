import FleetModel
import FleetStore
import Testing

@testable import FleetConsole

@Suite("The console's view of a fleet")
struct FleetViewTests {
    @Test("Every change of a device moves it from one state to another, in all counts")
    func counts() {
        let devices = [
            Sample.device(1), Sample.device(1, .given), Sample.device(1, .given, .lent),
            Sample.device(1, .given, .lent, .succeeded),
            Sample.device(1, .given, .lent, .failed(Sample.refusal)),
        ]
        #expect(devices.map(DeviceState.init) == [.idle, .waiting, .updating, .updated, .failed])
        for before in devices {
            for after in devices {
                var view = FleetView()
                view.see(Sample.device(2, .given, .lent))
                view.see(before)
                view.see(after)
                expect(view, has: [Sample.device(2, .given, .lent), after])
                view.forget(after.id)
                expect(view, has: [Sample.device(2, .given, .lent)])
                view.startOver(.devices)
                expect(view, has: [])
            }
        }
    }

    /// Compares all counts with those of a view that sees these devices only.
    private func expect(_ view: FleetView, has devices: [DeviceRecord]) {
        var view = view
        var fresh = FleetView()
        for device in devices { fresh.see(device) }
        #expect(view.counts == fresh.counts)
        #expect(view.counts.total == devices.count)
        let counts = { (view: FleetView) in view.campaignCounts[Sample.spring] ?? StateCounts() }
        #expect(counts(view) == counts(fresh))
        #expect(view.failures() == fresh.failures())
        #expect((view.lent[Sample.east] ?? []) == (fresh.lent[Sample.east] ?? []))
        let (names, freshNames) = (view.names.names(), fresh.names.names())
        #expect(names == freshNames)
    }

    @Test("A record that is seen twice changes nothing, and a browser isn't told")
    func repeated() {
        var view = FleetView()
        view.see(Sample.device(1, .given))
        view.see(Sample.campaign())
        let revision = view.revision
        view.see(Sample.device(1, .given))
        view.see(Sample.campaign())
        #expect(view.revision == revision)
        view.see(Sample.device(1, .given, .lent))
        #expect(view.revision > revision)
    }

    @Test("It is complete when every part has been read, and not while one is read again")
    func complete() {
        var view = FleetView()
        for part in FleetView.Part.allCases {
            #expect(!view.isComplete)
            view.catchUp(part)
        }
        #expect(view.isComplete)
        view.startOver(.sightings)
        #expect(!view.isComplete)
    }

    @Test("Progress counts only from the gateway and the turn that the record names")
    func progress() {
        var view = FleetView()
        let device = Sample.device(1, .given, .lent)
        view.see(device)
        func tell(_ turn: UInt32, _ news: Report.News, at gateway: GatewayID = Sample.east) {
            let report = Report(campaign: Sample.spring, turn: Turn(turn), news)
            view.see(report, Sample.name(1, at: gateway))
        }
        tell(1, .working(storedByteCount: 9, byteCount: 10), at: Sample.west)
        tell(7, .working(storedByteCount: 8, byteCount: 10))
        #expect(view.device(device.id)?.progress == nil)
        tell(1, .working(storedByteCount: 3, byteCount: 10))
        #expect(
            view.device(device.id)?.progress
                == FleetView.Progress(storedByteCount: 3, byteCount: 10)
        )
        tell(1, .succeeded)
        #expect(view.device(device.id)?.progress == nil)
    }

    @Test("The gateway that hears a device best comes first")
    func hearers() {
        var view = FleetView()
        view.see(Sample.device(1))
        view.see(Sample.sighting(-80), Sample.name(1, at: Sample.east))
        view.see(Sample.sighting(-50), Sample.name(1, at: Sample.west))
        let id = DeviceID("lamp-1")!
        #expect(view.device(id)?.hearers.map(\.gateway) == [Sample.west, Sample.east])
        view.forgetSighting(Sample.name(1, at: Sample.west))
        #expect(view.device(id)?.hearers.map(\.gateway) == [Sample.east])
        #expect(view.device(DeviceID("nobody")!) == nil)
    }

    @Test("A gateway is live while its status changes, by the console's own clock")
    func gateways() {
        var view = FleetView()
        let start = Sample.uptime(100)
        func state(_ seconds: UInt64) -> GatewayView.State? {
            view.gateway(Sample.east, at: Sample.uptime(seconds), since: start)?.state
        }
        #expect(state(100) == nil)
        // It was there when the console began: nobody knows since when.
        view.see(Sample.status(), of: Sample.east, at: nil)
        #expect(state(100) == .unknown)
        #expect(state(145) == .unknown)
        #expect(state(146) == .silent)
        view.see(Sample.status(beat: 2), of: Sample.east, at: Sample.uptime(150))
        #expect(state(195) == .live)
        #expect(state(196) == .silent)
        view.see(Sample.status(0, beat: 3), of: Sample.east, at: Sample.uptime(200))
        #expect(state(200) == .ending)
        let summary = view.summary(at: Sample.uptime(200), since: start)
        #expect(summary.gatewayCount == 1 && summary.liveGatewayCount == 0)
        view.forget(Sample.east)
        #expect(state(200) == nil)
    }

    @Test("Failures are grouped by reason, the most frequent first")
    func failures() {
        var view = FleetView()
        let autumn = Sample.plan(CampaignID("autumn")!)
        for number in 1...3 {
            view.see(Sample.device(number, .given, .lent, .failed(Sample.silence)))
        }
        view.see(Sample.device(4, .given, .lent, .failed(Sample.refusal)))
        view.see(Sample.device(5, .given, .lent, .failed(Sample.refusal), of: autumn))
        view.see(Sample.device(6, .given, .lent, .failed(Sample.refusal), of: autumn))
        let all = view.failures()
        #expect(all.map(\.deviceCount) == [3, 2, 1])
        #expect(all.map(\.campaign.text) == ["spring", "autumn", "spring"])
        #expect(view.failures(of: autumn.id).map(\.failure) == [Sample.refusal])
    }
}
