public import BLEOTACore

/// A period during which every packet that either end starts to send is damaged, as if someone
/// stood in the way, or walked out of range and came back.
public struct Fade: Sendable, Hashable {
    /// The start of the fade, measured from the start of the simulation.
    public let start: Microseconds
    /// The duration of the fade.
    public let length: Microseconds

    /// Creates a fade. Neither time may be negative.
    public init(start: Microseconds, length: Microseconds) {
        precondition(start >= .zero && length >= .zero, "a negative time")
        self.start = start
        self.length = length
    }

    var firstMoment: Instant { Instant(microseconds: start.rawValue) }

    /// The first moment after the fade.
    var end: Instant { firstMoment + length }

    func contains(_ moment: Instant) -> Bool { firstMoment <= moment && moment < end }

    /// Returns the same fades in order, with overlapping and adjacent ones merged.
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
