import BLEOTACore

/// The number of log lines that peers may cause in a service.
///
/// Without a limit, a peer that connects again and again could fill the disk. The limit is 100
/// lines at once (sixty devices that all start together cause fewer), plus two lines per second. At
/// 120 bytes per line, that is 20 MB a day, and enough for more than three thousand transfers an
/// hour.
struct LogAllowance {
    static let lineCountMax = 100
    static let linesPerSecond = 2

    private var lineCount = Self.lineCountMax
    private var refilledAt: ContinuousClock.Instant
    private var leftOutCount = 0

    init(now: ContinuousClock.Instant) { refilledAt = now }

    /// Takes one line from the allowance.
    ///
    /// - Returns: whether the line may be printed; if not, it is counted.
    mutating func take(now: ContinuousClock.Instant) -> Bool {
        refill(now)
        guard lineCount > 0 else {
            leftOutCount += 1
            return false
        }
        lineCount -= 1
        return true
    }

    /// Returns the number of lines left out since the last call.
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
