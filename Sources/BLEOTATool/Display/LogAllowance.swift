import BLEOTACore

/// Limits the number of lines in a service's log that peers can cause.
///
/// Otherwise, a peer that keeps connecting and disconnecting would fill the disk. The limit is a
/// burst of a hundred lines, more than sixty devices cause if all of them begin at once, and two
/// lines per second after that. This allows 20 MB per day at 120 bytes per line, and more than
/// three thousand transfers per hour.
struct LogAllowance {
    static let lineCountMax = 100
    static let linesPerSecond = 2

    private var lineCount = Self.lineCountMax
    private var refilledAt: ContinuousClock.Instant
    private var leftOutCount = 0

    init(now: ContinuousClock.Instant) { refilledAt = now }

    /// Requests one line.
    ///
    /// - Returns: whether the line may be written; otherwise, it counts as left out.
    mutating func take(now: ContinuousClock.Instant) -> Bool {
        refill(now)
        guard lineCount > 0 else {
            leftOutCount += 1
            return false
        }
        lineCount -= 1
        return true
    }

    /// The number of lines left out since the last call.
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
