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
            )!
        )
        return phases.map { Campaign(plan, $0) } + [
            Campaign(largest, .running(stage: 15, population: Sample.count(10_000_000)))
        ]
    }

    private static var devices: [DeviceRecord] {
        let id = CampaignID(name)!
        let states: [Job.State] = [
            .waiting(attempt: 10, notBefore: late), .succeeded, .failed(.refused),
            .failed(.gateway), .failed(.unreachable),
        ]
        var full = DeviceRecord(
            id: DeviceID(name)!,
            hardware: HardwareName(name)!,
            group: GroupName(name),
            version: FirmwareVersion(65_535, 65_535, 65_535)
        )
        for number in 10..<18 {
            let gateway = GatewayID(name.dropLast(2) + "\(number)")!
            full.see(Sighting(by: gateway, strength: -127, at: late)!)
        }
        return [Sample.device(1)]
            + states.map { DeviceRecord(full, sightings: full.sightings, job: Job(id, $0))! }
    }

    private static var leases: [Lease] {
        [.free, .held(by: GatewayID(name)!, until: late)]
    }

    @Test("Everything is read as it was written, and the largest has the stated size")
    func roundTrip() throws {
        try check(Self.campaigns)
        try check(Self.devices)
        try check(Self.leases)
    }

    private func check<Value: Stored & Equatable>(_ values: [Value]) throws {
        for value in values { #expect(try Value(from: value.bytes) == value) }
        #expect(values.map(\.bytes.count).max() == Value.byteCountMax)
    }

    @Test("What is cut or longer is refused")
    func cut() {
        func check<Value: Stored>(_ value: Value) {
            for count in value.bytes.indices {
                let cut = Array(value.bytes[..<count])
                #expect(throws: CodecError.truncated) { try Value(from: cut) }
            }
            #expect(throws: CodecError.tooLong) { try Value(from: value.bytes + [0]) }
        }
        Self.campaigns.forEach(check)
        Self.devices.forEach(check)
        Self.leases.forEach(check)
    }

    @Test("Whatever one byte is changed to, it is refused or is the one form of another value")
    func changed() {
        func check<Value: Stored & Equatable>(_ value: Value) {
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
        Self.campaigns.suffix(1).forEach(check)
        Self.devices.prefix(1).forEach(check)
        Self.leases.forEach(check)
    }

    @Test("A later version is named, and a longer form of a number is refused")
    func versions() {
        #expect(throws: CodecError.otherVersion(2)) { try Lease(from: [0x83, 2, 0xF6, 0xF6]) }
        #expect(throws: CodecError.unexpected) { try Lease(from: [0x83, 0x18, 1, 0xF6, 0xF6]) }
        #expect(throws: CodecError.unexpected) { try Lease(from: [0x84, 1, 0xF6, 0xF6, 0xF6]) }
        #expect(throws: CodecError.unexpected) { try Lease(from: [0x83, 1, 0xF6, 1]) }
        #expect(throws: CodecError.tooLong) {
            try Lease(from: [UInt8](repeating: 0, count: Lease.byteCountMax + 1))
        }
    }
}
