import BLEOTADevice

/// The virtual time of one test.
final class TestClock {
    var now = Instant(microseconds: 1_000_000)

    func pass(_ span: Microseconds) { now = now + span }
}
