/// How fast chunks follow each other: a rate, as the time from one to the next.
struct PacingRate: BitwiseCopyable {
    /// 1 to 2,000,000,000, so that two of them can be multiplied: slower is as slow as that.
    let nanoseconds: Int64

    private static var nanosecondsMax: Int64 { 2_000_000_000 }

    /// The mean spacing of so many chunks in so much time; `nil` if there was none of either.
    init?(of chunkCount: UInt32, in span: Microseconds) {
        guard chunkCount > 0, span > .zero else { return nil }
        // In microseconds at first, for the longest spans.
        let microseconds = span.rawValue / Int64(chunkCount)
        guard microseconds < Self.nanosecondsMax / 1_000 else {
            nanoseconds = Self.nanosecondsMax
            return
        }
        nanoseconds = max(span.rawValue * 1_000 / Int64(chunkCount), 1)
    }

    /// The lower of two rates.
    func slower(of other: PacingRate) -> PacingRate {
        nanoseconds > other.nanoseconds ? self : other
    }

    /// The higher of two rates.
    func faster(of other: PacingRate) -> PacingRate {
        nanoseconds < other.nanoseconds ? self : other
    }

    /// The mean of two rates.
    static func mean(_ left: PacingRate, _ right: PacingRate) -> PacingRate {
        let sum = left.nanoseconds + right.nanoseconds
        return PacingRate(nanoseconds: 2 * left.nanoseconds * right.nanoseconds / sum)
    }

    private init(nanoseconds: Int64) {
        self.nanoseconds = min(max(nanoseconds, 1), Self.nanosecondsMax)
    }

    /// How many chunks go by in a span, at most a whole window.
    func chunkCount(in span: Microseconds) -> Int {
        Int(min(span.rawValue * 1_000 / nanoseconds, Int64(WindowPolicy.chunkCountMax)))
    }

    /// A rate that is so much higher.
    ///
    /// - Parameter percent: more than -100.
    func faster(byPercent percent: Int64) -> PacingRate {
        PacingRate(nanoseconds: nanoseconds * 100 / (100 + percent))
    }

    /// A measured rate, at most half above the one before and no less than half of it. What is sent
    /// is never that much faster; and an ACK of much at once can seem to be, as the one before
    /// seems slower.
    func bounded(by last: PacingRate?) -> PacingRate {
        guard let last else { return self }
        return slower(of: last.faster(byPercent: 50)).faster(of: last.faster(byPercent: -50))
    }

    /// Whether this rate is at least a tenth higher than another.
    func isTenthFaster(than other: PacingRate) -> Bool {
        nanoseconds * 11 <= other.nanoseconds * 10
    }
}
