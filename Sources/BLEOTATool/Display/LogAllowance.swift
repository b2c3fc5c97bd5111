import BLEOTACore

/// How many lines of a service's log peers may cause.
///
/// A peer that connects and leaves without end would fill the disk otherwise. A hundred lines come
/// at once, more than sixty devices cause that all begin together, and two a second after that:
/// 20 MB a day with 120 bytes a line, and more than three thousand transfers an hour.
struct LogAllowance {
    static let lineCountMax = 100
    static let linesPerSecond = 2

    private var lineCount = Self.lineCountMax
    private var refilledAt: ContinuousClock.Instant
    private var leftOutCount = 0

    init(now: ContinuousClock.Instant) { refilledAt = now }

    /// Takes a line.
    ///
    /// - Returns: whether it may be written; otherwise it is counted.
    mutating func take(now: ContinuousClock.Instant) -> Bool {
        refill(now)
        guard lineCount > 0 else {
            leftOutCount += 1
            return false
        }
        lineCount -= 1
        return true
    }

    /// How many lines were left out since this was asked last.
    mutating func takeLeftOutCount() -> Int {
        defer { leftOutCount = 0 }
        return leftOutCount
    }

    private mutating func refill(_ now: ContinuousClock.Instant) {
        let seconds = (now - refilledAt).components.seconds
        guard seconds > 0 else { return }
        refilledAt += .seconds(seconds)
        let added = min(Int64(Self.lineCountMax), seconds) * Int64(Self.linesPerSecond)
        lineCount = min(Self.lineCountMax, lineCount + Int(added))
    }
}
