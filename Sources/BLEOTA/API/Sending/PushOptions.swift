package import BLEOTACore
public import Logging

/// The knobs of a push, and of a pull, which uses the limits and the logger only.
///
/// The defaults are right for every link. Each knob says when to turn it and what that costs.
public struct PushOptions: Sendable {
    /// How many chunks are on their way, sent and not acknowledged.
    public struct Window: Sendable, Hashable {
        package let policy: WindowPolicy

        package init(_ policy: WindowPolicy) { self.policy = policy }

        /// As many as the link carries, found out while it sends.
        public static let automatic = Window(.automatic)

        /// At most this many, 1 to 512. Of use to compare links; slower than automatic wherever the
        /// number does not fit the link.
        public static func fixed(chunkCount: Int) -> Window {
            Window(.fixed(chunkCount: chunkCount))
        }

        /// This many, 1 to 512, then nothing for as long as the pause, up to 10 s; without one
        /// until all are acknowledged. For devices that have a buffer of known size and give no
        /// credit.
        public static func burst(chunkCount: Int, pause: Duration? = nil) -> Window {
            let end = pause.map {
                BurstPause.time(Microseconds(MonotonicClock.microseconds($0)))
            }
            return Window(.burst(chunkCount: chunkCount, pause: end ?? .untilAcknowledged))
        }
    }

    /// How data is written. Default: without response. With response each frame waits for the
    /// peer's stack, which takes two connection intervals: some 30 times slower. For peers whose
    /// stack loses what it is sent without response.
    public var delivery = Datagram.Delivery.withoutResponse
    /// How many chunks are on their way. Default: automatic.
    public var window = Window.automatic
    /// How long to wait for a sign of life. Default: 10 s. Longer for a device that sleeps.
    public var silenceLimit: Duration = .seconds(10)
    /// How long to wait for progress from a peer that answers. Default: 60 s.
    public var progressLimit: Duration = .seconds(60)
    /// The same while the receiver is busy, as with an erase or with verifying; at least
    /// ``progressLimit``. Default: 600 s. A push ends after that time, too, when it got no further
    /// than ever, however often the receiver began anew.
    public var busyLimit: Duration = .seconds(600)
    /// How long to try to make the first link where nobody is at the other end. Default: 3 s, in
    /// which a service starts again.
    public var connectionLimit: Duration = .seconds(3)
    /// How long to try to make a lost link again, from the last progress on. Default: 30 s. Longer
    /// for a device that moves out of range and comes back.
    public var reconnectionLimit: Duration = .seconds(30)
    /// How long to wait until the device says that it runs the image and keeps it. Default, `nil`:
    /// not at all; the push has succeeded when the image is verified and current.
    public var confirmationLimit: Duration?
    /// Where the transfer logs what it does. Default: nowhere.
    public var logger: Logger?

    /// The defaults.
    public init() {}
}
