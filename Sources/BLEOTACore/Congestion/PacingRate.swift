/// A rate of chunks, stored as the time from one chunk to the next.
struct PacingRate: BitwiseCopyable {
    /// The spacing, 1 to 2,000,000,000 ns, so that the product of two spacings does not
    /// overflow. A spacing outside this range is clamped to it.
    let nanoseconds: Int64

    private static var nanosecondsMax: Int64 { 2_000_000_000 }

    /// Creates the mean rate of `chunkCount` chunks in `span`. Returns `nil` if either is zero.
    init?(of chunkCount: UInt32, in span: Microseconds) {
        guard chunkCount > 0, span > .zero else { return nil }
        // Microseconds first, because the longest spans would overflow in nanoseconds.
        let microseconds = span.rawValue / Int64(chunkCount)
        guard microseconds < Self.nanosecondsMax / 1_000 else {
            nanoseconds = Self.nanosecondsMax
            return
        }
        nanoseconds = max(span.rawValue * 1_000 / Int64(chunkCount), 1)
    }

    /// Returns the lower of two rates.
    func slower(of other: PacingRate) -> PacingRate {
        nanoseconds > other.nanoseconds ? self : other
    }

    /// Returns the higher of two rates.
    func faster(of other: PacingRate) -> PacingRate {
        nanoseconds < other.nanoseconds ? self : other
    }

    /// Returns the mean of two rates.
    static func mean(_ left: PacingRate, _ right: PacingRate) -> PacingRate {
        let sum = left.nanoseconds + right.nanoseconds
        return PacingRate(nanoseconds: 2 * left.nanoseconds * right.nanoseconds / sum)
    }

    private init(nanoseconds: Int64) {
        self.nanoseconds = min(max(nanoseconds, 1), Self.nanosecondsMax)
    }

    /// Returns the number of chunks in a span at this rate, at most the largest window.
    func chunkCount(in span: Microseconds) -> Int {
        Int(min(span.rawValue * 1_000 / nanoseconds, Int64(WindowPolicy.chunkCountMax)))
    }

    /// Returns a rate that is higher by a percentage.
    ///
    /// - Parameter percent: the increase, more than -100.
    func faster(byPercent percent: Int64) -> PacingRate {
        PacingRate(nanoseconds: nanoseconds * 100 / (100 + percent))
    }

    /// Limits a measured rate to between half and one and a half times the previous rate. The
    /// sender never speeds up by more than half. An ACK of many chunks at once can make the
    /// rate appear higher, and the ACK before it can make the rate appear lower.
    func bounded(by last: PacingRate?) -> PacingRate {
        guard let last else { return self }
        return slower(of: last.faster(byPercent: 50)).faster(of: last.faster(byPercent: -50))
    }

    /// Whether this rate is higher than another by at least a tenth.
    func isTenthFaster(than other: PacingRate) -> Bool {
        nanoseconds * 11 <= other.nanoseconds * 10
    }
}
