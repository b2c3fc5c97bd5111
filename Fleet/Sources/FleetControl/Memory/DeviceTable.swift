import FleetModel
import NATS

/// The records of all devices, packed: a million take 98 MiB, of which 32 MiB are names.
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
    /// The public keys of the devices that have one, and the nonces of those that gateways have.
    private var keys: [DeviceNumber: DeviceKey] = [:]
    private var nonces: [DeviceNumber: Nonce] = [:]

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
        var known = DeviceRecord(
            id: names[number],
            hardware: kind.hardware,
            group: kind.group,
            version: kind.version
        )
        known.key = keys[number]
        let record = DeviceRecord(
            known,
            job: job(of: row),
            lessee: row.lessee.map { gateways[$0] },
            turn: Turn(row.turn),
            nonce: nonces[number]
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
            guard let moment = Moment(milliseconds: row.notBefore) else {
                preconditionFailure("no moment: \(row.notBefore)")
            }
            let why = row.failure == 0 ? nil : failures[row.failure]
            state = .waiting(attempt: row.attempt, notBefore: moment, after: why)
        case .succeeded: state = .succeeded
        case .failed: state = .failed(failures[row.failure])
        }
        return Job(campaigns[campaign], state, isSigned: row.isSigned)
    }

    func key(of number: DeviceNumber) -> DeviceKey? { keys[number] }

    mutating func store(_ record: DeviceRecord, _ revision: Revision, at number: DeviceNumber) {
        let old = rows[number.index]
        if !old.hasRecord { recordCount += 1 }
        var new = old
        new.revision = revision.number
        new.kind = kinds.add(DeviceKind(record))
        new.campaign = record.job.map { campaigns.add($0.campaign) }
        new.lessee = record.lease.map { gateways.add($0.gateway) }
        new.turn = record.turn.number
        new.isSigned = record.job?.isSigned ?? false
        set(record.job?.state, of: &new)
        keys[number] = record.key
        nonces[number] = record.nonce
        rows[number.index] = new
        release(old)
    }

    private mutating func set(_ state: Job.State?, of row: inout DeviceRow) {
        (row.notBefore, row.attempt, row.failure) = (0, 0, 0)
        switch state {
        case nil: row.jobState = .none
        case .waiting(let attempt, let notBefore, let why):
            row.jobState = .waiting
            (row.notBefore, row.attempt) = (notBefore.milliseconds, attempt)
            row.failure = why.map { failures.add($0) } ?? 0
        case .succeeded: row.jobState = .succeeded
        case .failed(let why):
            row.jobState = .failed
            row.failure = failures.add(why)
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
        keys[number] = nil
        nonces[number] = nil
        release(old)
    }

    private mutating func release(_ row: DeviceRow) {
        kinds.remove(row.kind)
        failures.remove(row.failure)
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

    mutating func setStored(_ moment: Moment?, of number: DeviceNumber) {
        rows[number.index].storedSeconds =
            moment.map { UInt32(clamping: $0.milliseconds / 1_000) } ?? .max
    }

    /// Whether something was stored later than the record, with a margin.
    func hasRecord(of number: DeviceNumber, before moment: Moment, by margin: Span) -> Bool {
        let seconds = UInt64(rows[number.index].storedSeconds)
        guard seconds < UInt32.max else { return false }
        // The record's second may have just begun.
        return moment.milliseconds >= (seconds + 1) * 1_000 + margin.milliseconds
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
