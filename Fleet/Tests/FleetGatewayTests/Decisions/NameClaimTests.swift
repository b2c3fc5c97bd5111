import FleetModel
import Testing

@Suite("Two gateways of one name")
struct NameClaimTests {
    private func status(_ instance: UInt64, beat: UInt64 = 1, places: UInt8 = 8) -> GatewayStatus {
        GatewayStatus(
            places: places,
            program: Sample.new,
            beat: beat,
            at: Moment(milliseconds: 0)!,
            instance: instance
        )!
    }

    private func at(_ seconds: UInt64) -> Uptime { Uptime(milliseconds: seconds * 1_000) }

    @Test("A name is free that nobody has, that this gateway had, or whose owner has ended")
    func free() {
        for last in [nil, status(1), status(1, places: 0), status(2, places: 0)] {
            var claim = NameClaim(1)
            #expect(claim.see(last, at: at(0)) == .own)
            // Its own words, again and again, and those that ended.
            for beat in 2...4 as ClosedRange<UInt64> {
                #expect(claim.see(status(1, beat: beat), at: at(beat)) == .own)
            }
        }
    }

    @Test("The younger gives way as soon as the other says something")
    func taken() {
        for seconds in [0, 15, 44, 45, 46, 1_000] as [UInt64] {
            var claim = NameClaim(1)
            #expect(claim.see(status(2), at: at(0)) == .unknown)
            #expect(claim.see(status(2, beat: 2), at: at(seconds)) == .taken)
        }
    }

    @Test("A gateway takes the place of one that is silent, which gives way when it is back")
    func replaced() {
        var claim = NameClaim(1)
        for seconds in 0..<45 as Range<UInt64> {
            #expect(claim.see(status(2), at: at(seconds)) == .unknown)
        }
        #expect(claim.see(status(2), at: at(45)) == .own)
        // Its first own words may not have been written.
        #expect(claim.see(status(2), at: at(46)) == .own)
        #expect(claim.see(status(1, beat: 2), at: at(60)) == .own)
        var old = NameClaim(2)
        #expect(old.see(nil, at: at(0)) == .own)
        #expect(old.see(status(2), at: at(15)) == .own)
        #expect(old.see(status(1, beat: 2), at: at(90)) == .taken)
        // One that goes on all the same is noticed.
        #expect(claim.see(status(2, beat: 3), at: at(75)) == .taken)
    }
}
