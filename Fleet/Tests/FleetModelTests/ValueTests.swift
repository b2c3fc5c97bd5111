import FleetModel
import Testing

@Suite("Values of the fleet")
struct ValueTests {
    @Test("A name is a word that can be a part of a key")
    func names() {
        for text in ["a", "Device-7_x", String(repeating: "a", count: 64)] {
            #expect(DeviceID(text) != nil)
        }
        for text in ["", "a.b", "a b", "*", ">", "é", String(repeating: "a", count: 65)] {
            #expect(DeviceID(text) == nil)
        }
    }

    @Test("A share of devices is rounded up for a stage, and down for a threshold")
    func shares() throws {
        #expect(Share(basisPoints: 10_001) == nil)
        let percent = try #require(Share(basisPoints: 100))
        let cases = [
            (0, 0, 0), (1, 1, 0), (99, 1, 0), (100, 1, 1), (101, 2, 1), (10_000, 100, 100),
        ]
        for (all, up, down) in cases {
            let count = try #require(DeviceCount(all))
            #expect(percent.roundedUp(of: count).number == up)
            #expect(percent.roundedDown(of: count).number == down)
            #expect(Share.whole.roundedUp(of: count) == count)
            #expect(Share.whole.roundedDown(of: count) == count)
        }
    }

    @Test("Stages grow from more than nothing to the whole")
    func stages() {
        let plan = { (numbers: [UInt16]) in StagePlan(numbers.map { Share(basisPoints: $0)! }) }
        for numbers: [UInt16] in [[10_000], [1, 10_000], [100, 500, 2_500, 10_000]] {
            #expect(plan(numbers) != nil)
        }
        let wrong: [[UInt16]] = [[], [100], [0, 10_000], [5, 5, 10_000], [10_000, 10_000]]
        for numbers in wrong + [(1...16).map { $0 } + [10_000]] { #expect(plan(numbers) == nil) }
    }

    @Test("A window may go on after midnight")
    func windows() throws {
        let window = try #require(DayWindow(opening: 1_410, minutes: 60))
        for day in 0..<3 as Range<UInt64> {
            for minute in 0..<1_440 as Range<UInt64> {
                let moment = try #require(Moment(milliseconds: (day * 1_440 + minute) * 60_000))
                #expect(window.contains(moment) == (minute >= 1_410 || minute < 30))
            }
        }
        #expect(DayWindow(opening: 1_440, minutes: 1) == nil)
        #expect(DayWindow(opening: 0, minutes: 0) == nil)
        #expect(DayWindow(opening: 0, minutes: 1_441) == nil)
    }

    @Test("A strength is what Bluetooth allows")
    func strengths() {
        for strength in Int8.min...Int8.max {
            #expect((Strength(dBm: Int(strength)) != nil) == (-127...20).contains(strength))
        }
        for strength in [Int.min, -129, 128, .max] { #expect(Strength(dBm: strength) == nil) }
    }

    @Test("A device whose strength a controller can't measure is heard, weaker than any other")
    func unmeasuredStrength() {
        #expect(Strength(measured: 127) == Strength(dBm: -127))
        for rssi in -127...20 { #expect(Strength(measured: rssi) == Strength(dBm: rssi)) }
        for rssi in [-128, 21, 126, 128] { #expect(Strength(measured: rssi) == nil) }
    }

    @Test("A detail is cut after a whole character")
    func details() {
        let long = String(repeating: "é", count: 100)
        #expect(Failure(.refused, long).detail == String(repeating: "é", count: 80))
        #expect(Failure(.refused, "a" + long).detail.utf8.count == 159)
        let family = "👨‍👩‍👧‍👦"
        #expect(Failure(.refused, String(repeating: "a", count: 150) + family).detail.count == 150)
        let fitting = String(repeating: "a", count: 160)
        #expect(Failure(.refused, fitting).detail == fitting)
    }

    @Test("A campaign is for devices of its hardware and group that run an older version")
    func selection() throws {
        var device = Sample.device(1)
        device.group = GroupName("hall")
        let hall = Selection(hardware: Sample.lamp, group: GroupName("hall"), oldest: Sample.old)
        #expect(hall.has(device, before: Sample.new))
        #expect(Selection(hardware: Sample.lamp).has(device, before: Sample.new))
        let lock = Selection(hardware: try #require(HardwareName("lock")))
        #expect(!lock.has(device, before: Sample.new))
        #expect(!hall.has(device, before: Sample.old))
        device.version = FirmwareVersion(1, 9, 9)
        #expect(!hall.has(device, before: Sample.new))
        device.version = Sample.new
        #expect(!hall.has(device, before: Sample.new))
        device.version = Sample.old
        device.group = nil
        #expect(!hall.has(device, before: Sample.new))
    }
}
