import BLEOTA
import BLEOTACore

/// A steady rate and remaining time: the rate changes once per second, and the time counts down
/// until the estimate differs too much.
struct SteadyProgress: Sendable {
    private static let spacing = Duration.seconds(1)
    /// The relative error at which a new estimate replaces the time that is shown.
    private static let tolerance = 0.15
    private static let toleranceSecondsMin = 2.0

    private var bytesPerSecond = 0.0
    private var secondsLeft: Double?
    private var shownAt: ContinuousClock.Instant?

    /// Returns the line to show at a moment.
    mutating func line(
        of progress: TransferProgress,
        at now: ContinuousClock.Instant
    ) -> ProgressLine {
        let elapsed = shownAt.map { $0.duration(to: now) }
        if elapsed.map({ $0 >= Self.spacing }) ?? (progress.bytesPerSecond > 0) {
            update(progress, afterSeconds: elapsed.map { $0 / .seconds(1) } ?? 0)
            shownAt = now
        }
        return ProgressLine(
            progress: progress,
            bytesPerSecond: bytesPerSecond,
            secondsLeft: secondsLeft
        )
    }

    private mutating func update(_ progress: TransferProgress, afterSeconds elapsed: Double) {
        bytesPerSecond = progress.bytesPerSecond
        guard let estimate = progress.secondsLeft else {
            secondsLeft = nil
            return
        }
        let countedDown = max((secondsLeft ?? estimate) - elapsed, 0)
        let tolerance = max(estimate * Self.tolerance, Self.toleranceSecondsMin)
        secondsLeft = abs(countedDown - estimate) > tolerance ? estimate : countedDown
    }
}
