import DequeModule
package import FleetModel
import FleetStore
import HeapModule
import NATS

/// What the active controller knows, and what follows from it.
///
/// It is told what is on the server, and says what to write (``decide(at:_:)``). It begins empty
/// with each term of a controller. Nothing makes it look at all devices, except that a campaign
/// begins, goes on or ends: what may have become due stands in a queue, and is looked at when it
/// comes out of it.
package struct Planner: Sendable {
    /// Twice the number that has to work, and a fifth of what a ``DeviceCount`` counts.
    /// Gateways that invent devices get no further; one alone stops at ``HeardCounts``.
    static let devicesMax = 2_000_000
    /// Writes under way. One connection makes several thousand in a second; the server answers
    /// the last of these after less than a tenth of one.
    static let flightsMax = 256
    /// Sentences about lies that wait to be written. A flood of them is one event to a reader.
    static let auditsMax = 64

    let pace: Pace
    /// Whether everything that was on the server at the beginning has been seen.
    private(set) var hasCaughtUp = false

    var devices = DeviceTable()
    var ears = EarTable()
    /// By their numbers in ``devices``.
    var campaigns: [CampaignEntry] = []
    var gateways: [GatewayEntry] = []
    /// The campaigns whose counts or phase have changed since they were last looked at.
    var changedCampaigns: Set<CampaignNumber> = []
    /// The campaigns that have begun and aren't over.
    var countingCampaigns: Set<CampaignNumber> = []
    /// The gateways that may have a place and a device for it.
    var openGateways: Set<GatewayNumber> = []

    /// The devices that gateways have, when the last report of each was seen, and when the device
    /// is looked at again.
    var leases: [DeviceNumber: (seen: Uptime, alarm: UInt64)] = [:]
    /// When a lease may have been silent for too long, by the clock that nobody sets.
    var silences = Heap<Alarm>()
    /// When the next attempt of a device may begin, by the clock of the wall, and the devices of
    /// which that is to be found out.
    var retries = Heap<Alarm>()
    var waitingQueue = Deque<DeviceNumber>()
    var lastMoment = Moment(milliseconds: 0)!
    /// Reports that end an attempt, until they are in the record.
    var endings: [DeviceNumber: (gateway: GatewayID, report: Report)] = [:]
    var endingQueue = Deque<DeviceNumber>()
    /// The gateway that was silent about a device last, or had no receipt for it: another is
    /// better.
    var avoided: [DeviceNumber: GatewayNumber] = [:]
    /// Devices that were heard and have no record, or have changed since.
    var newsQueue = Deque<DeviceNumber>()
    /// The first of these: devices with a record that have changed before this term. None is lent
    /// before that is in the records: an old version would be taken for a reason to update.
    var earlyNewsCount = 0
    /// What is on the server of orders: `nil` for one that can't be read.
    var orders: [DeviceNumber: [GatewayID: Known<Order?>]] = [:]
    /// The devices whose orders may differ from their records.
    var unsettledQueue = Deque<DeviceNumber>()
    /// The keys that an operator has enrolled, and the devices whose records may have no such key
    /// yet.
    var enrolled: [DeviceNumber: DeviceKey] = [:]
    var enrolmentQueue = Deque<DeviceNumber>()
    var audits: [Write] = []
    /// Gateways that this controller hasn't seen before in this term.
    var newGateways: [GatewayID] = []
    var flights = Flights()

    var heardCounts: HeardCounts

    /// Picks a nonce at random.
    let newNonce: @Sendable () -> Nonce

    /// - Parameter devicesPerGateway: the largest number that is believed of one gateway.
    package init(
        _ pace: Pace,
        devicesPerGateway: Int = HeardCounts.usualMax,
        newNonce: @escaping @Sendable () -> Nonce
    ) {
        self.pace = pace
        self.newNonce = newNonce
        heardCounts = HeardCounts(max: devicesPerGateway)
    }

    /// The devices that have a record.
    package var deviceCount: Int { devices.recordCount }

    /// The last record of a device that was seen.
    func record(of name: DeviceID) -> DeviceRecord? {
        devices.number(of: name).flatMap { devices.record(of: $0)?.value }
    }

    /// Everything that was there at the beginning has been seen.
    package mutating func catchUp() {
        hasCaughtUp = true
        for number in campaigns.indices.map({ CampaignNumber(UInt32($0)) }) {
            changedCampaigns.insert(number)
            begin(number)
        }
        for device in orders.keys.sorted() { unsettle(device) }
        for hasRecord in [true, false] {
            for device in devices.numbers
            where devices[device].heardKind != 0 && devices[device].hasRecord == hasRecord {
                newsQueue.append(device)
            }
            if hasRecord { earlyNewsCount = newsQueue.count }
        }
    }

    // MARK: - Numbers

    mutating func number(of campaign: CampaignID) -> CampaignNumber {
        let number = devices.add(campaign)
        growEntries()
        return number
    }

    mutating func number(of gateway: GatewayID) -> GatewayNumber {
        let number = devices.add(gateway)
        growEntries()
        return number
    }

    /// Gives each name an entry.
    mutating func growEntries() {
        while campaigns.count < devices.campaigns.count { campaigns.append(.init()) }
        while gateways.count < devices.gateways.count { gateways.append(.init()) }
    }

    /// Every gateway may have something to do again.
    mutating func openAllGateways() {
        for index in gateways.indices { openGateways.insert(GatewayNumber(UInt32(index))) }
    }

    func hasPlace(_ gateway: GatewayNumber, at now: Uptime) -> Bool {
        gateways[gateway.index].hasPlace(at: now, silenceMax: pace.gatewaySilenceMax)
    }

    var hasRoom: Bool { flights.count < Self.flightsMax }
}
