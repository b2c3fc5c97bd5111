import BLEOTACore

/// One end of a modelled protocol: it gets frames and moments, and sends what it wants to.
protocol BaselineEnd {
    /// What the ends say to each other.
    associatedtype Frame

    /// When it wants to be called next, if nothing comes.
    var deadline: Instant? { get }

    mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>)

    /// Its deadline has come.
    mutating func handleTimeout(_ link: inout BaselineLink<Frame>)
}
