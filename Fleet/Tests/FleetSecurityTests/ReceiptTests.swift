import FleetModel
import FleetSetup
import FleetStore
import FleetTestSupport
import NATS
import Testing

/// Everybody has a key of their own, and may do what the configuration of the server permits.
@Suite(
    "A gateway that lies about receipts",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(3))
)
struct ReceiptTests {
    private static let east = SecuredFleet.gateways[0]
    private static let west = SecuredFleet.gateways[1]
    private static let name = DeviceAtGateway(Sample.lamp, at: west)

    /// A fleet whose lamp is enrolled, and heard by west.
    private func fleet(
        _ signer: SignedDevice
    ) async throws -> (fleet: SecuredFleet, controller: RunningController) {
        let fleet = try await SecuredFleet()
        let op = try await fleet.store(.operator)
        try await op.keys.put(Sample.lamp, signer.key)
        let controller = try await RunningController(fleet)
        let west = try await fleet.store(.gateway(Self.west))
        try await west.gateways.create(Self.west, Sample.status)
        try await west.sightings.create(Self.name, Sample.sighting)
        try await eventually("the lamp has a record with its key") {
            (try? await op.devices.get(Sample.lamp))?.value.key == signer.key
        }
        return (fleet, controller)
    }

    /// What west is to do for a campaign in a turn.
    private func order(
        _ turn: UInt32,
        of campaign: CampaignID = Sample.spring,
        from feed: OrderFeed
    ) async throws -> Order {
        var found: Order?
        try await eventually("west has the lamp in turn \(turn)") {
            for change in try await feed.next(within: .seconds(1)) {
                guard case .value(let entry) = change, entry.value.campaign == campaign,
                    entry.value.turn == Turn(turn)
                else { continue }
                found = entry.value
            }
            return found != nil
        }
        return try #require(found)
    }

    private func lieCount(_ store: FleetStore) async throws -> Int {
        Int(try await store.connection.state(of: AuditLog.stream).messageCount)
    }

    @Test("Is not believed before the device has signed, and each forgery is written down")
    func forged() async throws {
        let (signer, other) = (SignedDevice(), SignedDevice())
        let (fleet, controller) = try await fleet(signer)
        let op = try await fleet.store(.operator)
        let (east, west) = (
            try await fleet.store(.gateway(Self.east)), try await fleet.store(.gateway(Self.west))
        )
        var campaign = Campaign(Sample.plan(failuresAllowed: .whole, attempts: 9))
        campaign.handle(.start(DeviceCount(1)!))
        try await op.campaigns.create(Sample.spring, campaign)
        let feed = try await west.orderFeed(of: Self.west)

        var earlier: [DeviceReceipt] = []
        let lies: [(String, (Nonce) -> Report.News)] = [
            ("another key", { .proved(other.receipt($0)) }),
            (
                "another nonce",
                { nonce in
                    let wrong = Nonce(nonce.bytes.map { ~$0 })!
                    return .proved(signer.receipt(wrong))
                }
            ),
            ("another image", { .proved(signer.receipt($0, of: Sample.digest)) }),
            ("an image on trial", { .proved(signer.receipt($0, state: 2)) }),
            ("a receipt for the order before", { _ in .proved(earlier[3]) }),
            ("no receipt", { _ in .proved(DeviceReceipt([1, 2, 3])!) }),
        ]
        var turn: UInt32 = 0
        var nonces: Set<Nonce> = []
        for (lie, make) in lies {
            turn += 1
            let nonce = try #require(try await order(turn, from: feed).nonce)
            nonces.insert(nonce)
            earlier.append(signer.receipt(nonce))
            try await west.reports.put(Self.name, Sample.report(turn, make(nonce)))
            try await eventually("\(lie) is written down") {
                try await lieCount(op) == Int(turn)
            }
            try await eventually("\(lie) counts as a failed attempt") {
                let job = try await op.devices.get(Sample.lamp).value.job
                guard case .waiting(let attempt, _, _) = job?.state else { return false }
                return attempt == UInt8(turn) + 1
            }
            #expect(try await op.devices.get(Sample.lamp).value.version == Sample.old, "\(lie)")
        }
        #expect(nonces.count == lies.count)

        // East doesn't have the lamp, so even what the lamp has signed is worth nothing from it.
        turn += 1
        let nonce = try #require(try await order(turn, from: feed).nonce)
        let right = Report.News.proved(signer.receipt(nonce))
        let eastern = DeviceAtGateway(Sample.lamp, at: Self.east)
        try await east.reports.create(eastern, Sample.report(turn, right))
        try await eventually("east's claim is written down") {
            try await lieCount(op) == lies.count + 1
        }
        #expect(try await op.devices.get(Sample.lamp).value.lease?.gateway == Self.west)

        // A success without a receipt is no lie, because the device may be at fault. It fails.
        try await west.reports.put(Self.name, Sample.report(turn, .succeeded))
        turn += 1
        let last = try #require(try await order(turn, from: feed).nonce)
        try await west.reports.put(
            Self.name,
            Sample.report(turn, .proved(signer.receipt(last)))
        )
        try await eventually("the campaign is finished") {
            try await op.campaigns.get(Sample.spring).value.phase == .finished
        }
        let record = try await op.devices.get(Sample.lamp).value
        #expect(record.job?.isSigned == true && record.version == Sample.new)
        #expect(await controller.end() == nil)
        #expect(controller.lies == lies.map { _ in Self.west } + [Self.east])
    }

    @Test("Can't use a receipt that has counted for another campaign or another device")
    func replayed() async throws {
        let signer = SignedDevice()
        let (fleet, controller) = try await fleet(signer)
        let op = try await fleet.store(.operator)
        let west = try await fleet.store(.gateway(Self.west))
        let feed = try await west.orderFeed(of: Self.west)
        func start(_ plan: CampaignPlan) async throws {
            var campaign = Campaign(plan)
            campaign.handle(.start(DeviceCount(1)!))
            try await op.campaigns.create(plan.id, campaign)
        }

        try await start(Sample.plan())
        let nonce = try #require(try await order(1, from: feed).nonce)
        let right = Report.News.proved(signer.receipt(nonce))
        try await west.reports.put(Self.name, Sample.report(1, right))
        try await eventually("spring is finished") {
            try await op.campaigns.get(Sample.spring).value.phase == .finished
        }
        #expect(try await lieCount(op) == 0)

        // The device is set back, and is to get the same image once more.
        try await west.sightings.put(Self.name, Sample.sighting)
        try await eventually("the lamp was set back") {
            try await op.devices.get(Sample.lamp).value.version == Sample.old
        }
        let autumn = CampaignID("autumn")!
        try await start(Sample.plan(autumn, failuresAllowed: .whole))
        _ = try await order(2, of: autumn, from: feed)
        try await west.reports.put(Self.name, Report(campaign: autumn, turn: Turn(2), right))
        try await eventually("autumn is finished") {
            try await op.campaigns.get(autumn).value.phase == .finished
        }
        let record = try await op.devices.get(Sample.lamp).value
        #expect(record.job?.outcome == .failed && record.version == Sample.old)

        // Another device, which is enrolled with its own key. Its gateway has the lamp's receipt.
        let pump = DeviceID("pump")!
        let atWest = DeviceAtGateway(pump, at: Self.west)
        try await op.keys.put(pump, SignedDevice().key)
        try await west.sightings.create(atWest, Sample.sighting)
        try await eventually("the pump has a record with its key") {
            (try? await op.devices.get(pump))?.value.key != nil
        }
        // The lamp belongs to a campaign that is over, so it gets the image as well.
        let winter = CampaignID("winter")!
        var campaign = Campaign(Sample.plan(winter, failuresAllowed: .whole))
        campaign.handle(.start(DeviceCount(2)!))
        try await op.campaigns.create(winter, campaign)
        var nonces: [DeviceID: Nonce] = [:]
        try await eventually("west has both") {
            for change in try await feed.next(within: .seconds(1)) {
                guard case .value(let entry) = change, entry.value.campaign == winter else {
                    continue
                }
                nonces[entry.name.device] = entry.value.nonce
            }
            return nonces.count == 2
        }
        let lamps = Report.News.proved(signer.receipt(nonces[Sample.lamp]!))
        let pumps = Report.News.proved(signer.receipt(nonces[pump]!))
        try await west.reports.put(Self.name, Report(campaign: winter, turn: Turn(3), lamps))
        try await west.reports.put(atWest, Report(campaign: winter, turn: Turn(1), pumps))
        try await eventually("winter is finished") {
            try await op.campaigns.get(winter).value.phase == .finished
        }
        #expect(try await op.devices.get(Sample.lamp).value.job?.isSigned == true)
        #expect(try await op.devices.get(pump).value.job?.outcome == .failed)
        #expect(await controller.end() == nil)
        #expect(controller.lies == [Self.west, Self.west])
    }

    @Test("Nobody but the operator enrols keys")
    func enrolment() async throws {
        let fleet = try await SecuredFleet()
        let op = try await fleet.store(.operator)
        let before = try await fleet.streams(op.connection)
        let key = SignedDevice().key.bytes
        for role in [Role.controller, .console, .gateway(Self.east)] {
            let answer = try fleet.raw(role).request("$KV.fleet-keys.lamp", key)
            guard case .refused = answer else {
                Issue.record("\(role): \(answer)")
                continue
            }
        }
        #expect(try await fleet.streams(op.connection) == before)
        guard case .answered = try fleet.raw(.operator).request("$KV.fleet-keys.lamp", key) else {
            Issue.record("the operator may not")
            return
        }
        #expect(try await op.keys.get(Sample.lamp).value.bytes == key)
    }
}
