import Testing

@testable import BLEOTACore

@Suite("RoundTripEstimator")
struct RoundTripEstimatorTests {
    @Test(
        "Before a sample the probe timeout is 200 ms + 4 · 100 ms"
    )
    func before() {
        let estimator = RoundTripEstimator()
        #expect(estimator.shortest == nil)
        #expect(estimator.probeTimeout(baseRoundTrip: .milliseconds(60)) == .milliseconds(600))
    }

    @Test("RFC 6298 by hand: 100 ms, then 180 ms, then 20 ms")
    func byHand() {
        var estimator = RoundTripEstimator()
        estimator.record(.milliseconds(100))
        #expect(estimator.smoothed == .milliseconds(100))
        #expect(estimator.variation == .milliseconds(50))
        #expect(estimator.probeTimeout(baseRoundTrip: .milliseconds(60)) == .milliseconds(300))
        // RTTVAR = 3/4 · 50 + 1/4 · |100 − 180| = 57.5; SRTT = 7/8 · 100 + 1/8 · 180 = 110.
        estimator.record(.milliseconds(180))
        #expect(estimator.variation == Microseconds(57_500))
        #expect(estimator.smoothed == .milliseconds(110))
        // RTTVAR = 3/4 · 57.5 + 1/4 · |110 − 20| = 65.625; SRTT = 7/8 · 110 + 1/8 · 20 = 98.75.
        estimator.record(.milliseconds(20))
        #expect(estimator.variation == Microseconds(65_625))
        #expect(estimator.smoothed == Microseconds(98_750))
        #expect(estimator.shortest == .milliseconds(20))
    }

    @Test("A steady round trip leaves SRTT and an idle round trip, 40 ms at least")
    func steady() {
        var estimator = RoundTripEstimator()
        for _ in 0..<100 { estimator.record(.milliseconds(30)) }
        #expect(estimator.smoothed == .milliseconds(30))
        #expect(estimator.probeTimeout(baseRoundTrip: .milliseconds(20)) == .milliseconds(70))
        #expect(estimator.probeTimeout(baseRoundTrip: .milliseconds(60)) == .milliseconds(90))
    }

    @Test("A sample below zero, which a wrong delay can give, counts as zero")
    func negative() {
        var estimator = RoundTripEstimator()
        estimator.record(.milliseconds(-5))
        #expect(estimator.smoothed == .zero)
        #expect(estimator.shortest == .zero)
    }
}
