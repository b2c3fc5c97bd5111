import FleetModel
import NATS

/// The records of all devices, packed: a million take 90 MiB, of which 32 MiB are names.
///
/// Only the reasons of failures can take more, if each device has failed for one of its own: up to
/// 250 bytes for each.
struct DeviceTable: Sendable {
    private var names = NameTable<DeviceRecord>()
    private var rows: [DeviceRow] = []
    private(set) var kinds = SharedValues<DeviceKind>()
    private var failures = SharedValues<Failure>()
    private(set) var campaigns = NameTable<CampaignPlan>()
    private(set) var gateways = NameTable<Lease>()
    private(set) var recordCount = 0

    /// The devices that were ever named.
    var count: Int { rows.count }
    var numbers: some Sequence<DeviceNumber> { (0..<UInt32(rows.count)).lazy.map { NumberOf($0) } }

    subscript(number: DeviceNumber) -> DeviceRow { rows[number.index] }

    func number(of name: DeviceID) -> DeviceNumber? { names.number(of: name) }
    func name(of number: DeviceNumber) -> DeviceID { names[number] }

    mutating func add(_ name: DeviceID) -> DeviceNumber {
        let number = names.add(name)
        if number.index == rows.count { rows.append(DeviceRow()) }
        return number
    }

    mutating func add(_ name: CampaignID) -> CampaignNumber { campaigns.add(name) }
    mutating func add(_ name: GatewayID) -> GatewayNumber { gateways.add(name) }

    // MARK: - Records

    /// The record of a device, as it is stored; `nil` if it has none.
    func record(of number: DeviceNumber) -> Known<DeviceRecord>? {
        let row = rows[number.index]
        guard let revision = Revision(row.revision) else { return nil }
        let kind = kinds[row.kind]
        let record = DeviceRecord(
            DeviceRecord(
                id: names[number],
                hardware: kind.hardware,
                group: kind.group,
                version: kind.version
            ),
            job: job(of: row),
            lessee: row.lessee.map { gateways[$0] },
            turn: Turn(row.turn)
        )
        guard let record else { preconditionFailure("\(names[number]) has no such record") }
        return Known(value: record, revision: revision)
    }

    func job(of row: DeviceRow) -> Job? {
        guard let campaign = row.campaign else { return nil }
        let state: Job.State
        switch row.jobState {
        case .none: return nil
        case .waiting:
            guard let moment = Moment(milliseconds: row.detail) else {
                preconditionFailure("no moment: \(row.detail)")
            }
            state = .waiting(attempt: row.attempt, notBefore: moment)
        case .succeeded: state = .succeeded
        case .failed: state = .failed(failures[UInt32(row.detail)])
        }
        return Job(campaigns[campaign], state)
    }

    mutating func store(_ record: DeviceRecord, _ revision: Revision, at number: DeviceNumber) {
        let old = rows[number.index]
        if !old.hasRecord { recordCount += 1 }
        var new = old
        new.revision = revision.number
        new.kind = kinds.add(DeviceKind(record))
        new.campaign = record.job.map { campaigns.add($0.campaign) }
        new.lessee = record.lease.map { gateways.add($0.gateway) }
        new.turn = record.turn.number
        set(record.job?.state, of: &new)
        rows[number.index] = new
        release(old)
    }

    private mutating func set(_ state: Job.State?, of row: inout DeviceRow) {
        (row.detail, row.attempt) = (0, 0)
        switch state {
        case nil: row.jobState = .none
        case .waiting(let attempt, let notBefore):
            row.jobState = .waiting
            (row.detail, row.attempt) = (notBefore.milliseconds, attempt)
        case .succeeded: row.jobState = .succeeded
        case .failed(let why):
            row.jobState = .failed
            row.detail = UInt64(failures.add(why))
        }
    }

    /// Forgets the record of a device, but not who hears it.
    mutating func removeRecord(of number: DeviceNumber) {
        let old = rows[number.index]
        guard old.hasRecord else { return }
        recordCount -= 1
        var new = DeviceRow()
        (new.heardKind, new.ears) = (old.heardKind, old.ears)
        (new.alarm, new.isUnsettled) = (old.alarm, old.isUnsettled)
        rows[number.index] = new
        release(old)
    }

    private mutating func release(_ row: DeviceRow) {
        kinds.remove(row.kind)
        if row.jobState == .failed { failures.remove(UInt32(row.detail)) }
    }

    // MARK: - Beside the records

    /// Keeps what a gateway heard; `nil` for nothing.
    mutating func setHeard(_ kind: DeviceKind?, of number: DeviceNumber) {
        let old = rows[number.index].heardKind
        rows[number.index].heardKind = kind.map { kinds.add($0) } ?? 0
        kinds.remove(old)
    }

    func heard(of number: DeviceNumber) -> DeviceKind? {
        let kind = rows[number.index].heardKind
        return kind == 0 ? nil : kinds[kind]
    }

    mutating func setAlarm(_ milliseconds: UInt64, of number: DeviceNumber) {
        rows[number.index].alarm = milliseconds
    }

    mutating func setEars(_ ears: UInt32, of number: DeviceNumber) {
        rows[number.index].ears = ears
    }

    mutating func setUnsettled(_ isUnsettled: Bool, _ number: DeviceNumber) {
        rows[number.index].isUnsettled = isUnsettled
    }
}
