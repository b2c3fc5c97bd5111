public import BLEOTACore

/// A time in which each packet is damaged that begins in it, of either end: somebody stands in
/// between, or walks away and comes back.
public struct Fade: Sendable, Hashable {
    /// When it begins, since the world did.
    public let start: Microseconds
    /// How long it takes.
    public let length: Microseconds

    /// A fade. Neither time is below 0.
    public init(start: Microseconds, length: Microseconds) {
        precondition(start >= .zero && length >= .zero, "a time below 0")
        self.start = start
        self.length = length
    }

    var firstMoment: Instant { Instant(microseconds: start.rawValue) }

    /// The first moment after it.
    var end: Instant { firstMoment + length }

    func contains(_ moment: Instant) -> Bool { firstMoment <= moment && moment < end }

    /// The same fades in order, none of which touches the next.
    static func merged(_ fades: [Fade]) -> [Fade] {
        var merged: [Fade] = []
        for fade in fades.sorted(by: { $0.start < $1.start }) where fade.length > .zero {
            guard let last = merged.last, fade.start <= last.start + last.length else {
                merged.append(fade)
                continue
            }
            let end = max(last.end, fade.end)
            merged[merged.count - 1] = Fade(start: last.start, length: end - last.firstMoment)
        }
        return merged
    }
}
