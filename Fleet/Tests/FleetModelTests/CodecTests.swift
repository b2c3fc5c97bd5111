import Testing

@testable import FleetModel

@Suite("What is stored")
struct CodecTests {
    private static let name = String(repeating: "n", count: 64)
    private static let late = Moment(milliseconds: 1 << 53)!

    private static var campaigns: [Campaign] {
        let plan = Sample.plan()
        let phases: [CampaignPhase] = [
            .ready, .running(stage: 0, population: Sample.count(1)),
            .paused(stage: 1, population: Sample.count(10_000_000)), .finished,
            .stopped(.tooManyFailures), .stopped(.operator),
        ]
        let largest = CampaignPlan(
            id: CampaignID(name)!,
            image: Digest([UInt8](repeating: 255, count: 32))!,
            content: Digest([UInt8](repeating: 254, count: 32))!,
            version: FirmwareVersion(65_535, 65_535, 65_535),
            selection: Selection(
                hardware: HardwareName(name)!,
                group: GroupName(name),
                oldest: FirmwareVersion(65_534, 65_535, 65_535)
            ),
            stages: StagePlan((9_985...10_000).map { Share(basisPoints: $0)! })!,
            failuresAllowed: .whole,
            window: DayWindow(opening: 1_439, minutes: 1_440),
            retries: RetryPolicy(
                attemptCount: 10,
                firstPause: Span(milliseconds: .max),
                longestPause: Span(milliseconds: .max)
            )!,
            receipts: .enrolling
        )
        return phases.map { Campaign(plan, $0) } + [
            Campaign(largest, .running(stage: 15, population: Sample.count(10_000_000)))
        ]
    }

    private static let detail = String(repeating: "n", count: 160)
    private static let last = FirmwareVersion(65_535, 65_535, 65_535)

    private static var devices: [DeviceRecord] {
        let id = CampaignID(name)!
        var full = DeviceRecord(
            id: DeviceID(name)!,
            hardware: HardwareName(name)!,
            group: GroupName(name),
            version: last
        )
        full.key = keys[1]
        let states: [Job.State] =
            [
                .waiting(attempt: 10, notBefore: late, after: Failure(.gateway, detail)),
                .waiting(attempt: 10, notBefore: late), .succeeded,
            ]
            + Failure.Kind.allCases.map { .failed(Failure($0, detail)) }
        let lent = DeviceRecord(
            full,
            job: Job(id, states[0]),
            lessee: GatewayID(name),
            turn: Turn(.max),
            nonce: Nonce([UInt8](repeating: 255, count: 12))
        )!
        let signed = DeviceRecord(
            full,
            job: Job(id, .succeeded, isSigned: true),
            lessee: nil,
            turn: Turn(1)
        )!
        return [lent, signed, Sample.device(1)]
            + states.map {
                DeviceRecord(full, job: Job(id, $0), lessee: nil, turn: Turn(.max))!
            }
    }

    private static var orders: [Order] {
        [
            Order(
                campaign: CampaignID(name)!,
                turn: Turn(.max),
                image: Digest([UInt8](repeating: 255, count: 32))!,
                version: last,
                nonce: Nonce([UInt8](repeating: 255, count: 12))
            ),
            Order(
                campaign: Sample.spring,
                turn: Turn(1),
                image: Digest([UInt8](repeating: 1, count: 32))!,
                version: last
            ),
        ]
    }

    private static var reports: [Report] {
        let news: [Report.News] =
            [
                .working(storedByteCount: .max, byteCount: .max),
                .working(storedByteCount: 0, byteCount: 1), .succeeded, .returned,
                .proved(DeviceReceipt([UInt8](repeating: 1, count: 233))!),
                .proved(DeviceReceipt([0])!),
            ] + Failure.Kind.allCases.map { .failed(Failure($0, detail)) }
        return news.map { Report(campaign: CampaignID(name)!, turn: Turn(.max), $0) }
    }

    private static var sightings: [Sighting] {
        [
            Sighting(
                hardware: HardwareName(name)!,
                group: GroupName(name),
                version: last,
                strength: Strength(dBm: -127)!,
                at: late
            ),
            Sighting(
                hardware: Sample.lamp,
                version: Sample.old,
                strength: Strength(dBm: 20)!,
                at: Sample.start
            ),
        ]
    }

    private static var statuses: [GatewayStatus] {
        [
            GatewayStatus(
                places: GatewayStatus.placesMax,
                program: last,
                beat: .max,
                at: late,
                instance: .max
            )!,
            GatewayStatus(places: 0, program: Sample.old, beat: 0, at: Sample.start)!,
        ]
    }

    private static var progress: [Progress] {
        let counts = Sample.counts(given: 5_000_000, succeeded: 1_000_000, failed: 4_000_000)
        var most = counts
        most.eligible = Sample.count(5_000_000)
        let few = Sample.counts(given: 3, succeeded: 1, failed: 1, eligible: 7)
        return [
            Progress(stage: 15, population: Sample.count(10_000_000), counts: most, at: late)!,
            Progress(stage: 0, population: Sample.count(10), counts: few, at: Sample.start)!,
        ]
    }

    private static let keys = [32, 65].map { DeviceKey([UInt8](repeating: 255, count: $0))! }

    private static var seats: [Seat] { [Seat(ControllerID(name)!, beat: .max)] }

    private static var entries: [AuditEntry] {
        let long = String(repeating: "x", count: 1_000)
        return [
            AuditEntry(user: long, author: long, long),
            AuditEntry(user: nil, author: "root on host-1, process 1", "paused spring"),
        ]
    }

    private static var images: [StoredImage] {
        [StoredImage(byteCount: StoredImage.imageByteCountMax)!, StoredImage(byteCount: 1)!]
    }

    /// A check of one value, whatever its type.
    private protocol Check {
        func callAsFunction<Value: Stored & Equatable>(_ value: Value)
    }

    private func forAll(_ check: some Check) {
        Self.campaigns.forEach { check($0) }
        Self.devices.forEach { check($0) }
        Self.orders.forEach { check($0) }
        Self.reports.forEach { check($0) }
        Self.sightings.forEach { check($0) }
        Self.statuses.forEach { check($0) }
        Self.progress.forEach { check($0) }
        Self.seats.forEach { check($0) }
        Self.images.forEach { check($0) }
        Self.entries.forEach { check($0) }
        Self.keys.forEach { check($0) }
    }

    @Test("Everything is read as it was written, and the largest has the stated size")
    func roundTrip() throws {
        try check(Self.campaigns)
        try check(Self.devices)
        try check(Self.orders)
        try check(Self.reports)
        try check(Self.sightings)
        try check(Self.statuses)
        try check(Self.progress)
        try check(Self.seats)
        try check(Self.images)
        try check(Self.entries)
        try check(Self.keys)
    }

    private func check<Value: Stored & Equatable>(_ values: [Value]) throws {
        for value in values { #expect(try Value(from: value.bytes) == value) }
        #expect(values.map(\.bytes.count).max() == Value.byteCountMax, "\(Value.self)")
    }

    private struct Cutting: Check {
        func callAsFunction<Value: Stored & Equatable>(_ value: Value) {
            for count in value.bytes.indices {
                let cut = Array(value.bytes[..<count])
                #expect(throws: CodecError.truncated) { try Value(from: cut) }
            }
            #expect(throws: CodecError.tooLong) { try Value(from: value.bytes + [0]) }
            let many = [UInt8](repeating: 0x81, count: Value.byteCountMax + 1)
            #expect(throws: CodecError.tooLong) { try Value(from: many) }
        }
    }

    @Test("A value that is cut or longer is refused")
    func cut() { forAll(Cutting()) }

    private struct Changing: Check {
        func callAsFunction<Value: Stored & Equatable>(_ value: Value) {
            var wrong: [[UInt8]] = []
            for index in value.bytes.indices {
                var bytes = value.bytes
                // Letters of names are all alike; a few of their changes stand for the rest.
                let step: UInt8 = bytes[index] == UInt8(ascii: "n") ? 51 : 1
                for byte in stride(from: 0, through: 255, by: Int(step)) {
                    bytes[index] = UInt8(byte)
                    guard let other = try? Value(from: bytes) else { continue }
                    let isOther = (other == value) != (bytes == value.bytes)
                    if isOther || other.bytes != bytes { wrong.append(bytes) }
                }
            }
            #expect(wrong.isEmpty)
        }
    }

    @Test("Whatever one byte is changed to, it is refused or is the one form of another value")
    func changed() { forAll(Changing()) }

    private struct Aging: Check {
        func callAsFunction<Value: Stored & Equatable>(_ value: Value) {
            // The version is the second byte, after the head of the array.
            for version in (0...23 as ClosedRange<UInt8>) where version != 1 {
                var bytes = value.bytes
                bytes[1] = version
                #expect(throws: CodecError.otherVersion(UInt64(version))) {
                    try Value(from: bytes)
                }
            }
            var long = value.bytes
            long.replaceSubrange(1...1, with: [0x18, 1])
            let tooLong: CodecError = long.count > Value.byteCountMax ? .tooLong : .unexpected
            #expect(throws: tooLong) { try Value(from: long) }
            var more = value.bytes
            more[0] += 1
            #expect(throws: CodecError.unexpected) { try Value(from: more) }
        }
    }

    @Test("No attempt has failed before the first")
    func firstAttempt() {
        let state = Job.State.waiting(
            attempt: 1,
            notBefore: Self.late,
            after: Failure(.gateway, "why")
        )
        let record = DeviceRecord(
            Sample.device(1),
            job: Job(CampaignID(Self.name)!, state),
            lessee: nil,
            turn: Turn(1)
        )!
        #expect(throws: CodecError.outOfRange) { try DeviceRecord(from: record.bytes) }
    }

    @Test("Every other version is named, and a longer form of a number is refused")
    func versions() { forAll(Aging()) }
}
