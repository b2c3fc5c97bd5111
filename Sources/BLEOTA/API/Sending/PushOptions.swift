package import BLEOTACore
public import Logging

/// Options for a push. A pull uses only the limits and the logger.
///
/// The defaults suit every link. The documentation of each option states when to change the option
/// and at what cost.
public struct PushOptions: Sendable {
    /// How many chunks may be in flight: sent and not yet acknowledged.
    public struct Window: Sendable, Hashable {
        package let policy: WindowPolicy

        package init(_ policy: WindowPolicy) { self.policy = policy }

        /// As many as the link can carry, measured while sending.
        public static let automatic = Window(.automatic)

        /// At most `chunkCount` chunks, 1 to 512. Useful for comparing links; slower than
        /// ``automatic`` unless the number suits the link.
        public static func fixed(chunkCount: Int) -> Window {
            Window(.fixed(chunkCount: chunkCount))
        }

        /// Bursts of `chunkCount` chunks, 1 to 512. The next burst starts after `pause`, up to
        /// 10 s; without a pause it starts when the whole burst has been acknowledged. For
        /// devices that have a buffer of known size and give no credit.
        public static func burst(chunkCount: Int, pause: Duration? = nil) -> Window {
            let end = pause.map {
                BurstPause.time(Microseconds(MonotonicClock.microseconds($0)))
            }
            return Window(.burst(chunkCount: chunkCount, pause: end ?? .untilAcknowledged))
        }
    }

    /// How data frames are sent. Default: without response. With response, each frame waits for a
    /// response from the peer's stack. The wait takes two connection intervals and makes the
    /// transfer 4 to 70 times slower at intervals of 7.5 to 50 ms, but helps if the peer's stack
    /// loses frames that are sent without response.
    public var delivery = Datagram.Delivery.withoutResponse
    /// How many chunks may be in flight. Default: automatic.
    public var window = Window.automatic
    /// How long to wait for any valid frame from the peer. Default: 10 s. Use a longer limit
    /// for a device that sleeps.
    public var silenceLimit: Duration = .seconds(10)
    /// How long to wait for progress while the peer answers. Default: 60 s.
    public var progressLimit: Duration = .seconds(60)
    /// How long to wait for progress while the receiver is busy, for example while it erases
    /// flash or verifies the image; at least ``progressLimit``. Default: 600 s. A push also
    /// ends if it has not passed its furthest position for this long, even if the receiver
    /// keeps starting over.
    public var busyLimit: Duration = .seconds(600)
    /// How long to keep trying to establish the first link while no peer is there. Default: 3
    /// s, long enough for a service to restart.
    public var connectionLimit: Duration = .seconds(3)
    /// How long to keep trying to restore a lost link, counted from the last progress. Default:
    /// 30 s. Use a longer limit for a device that moves out of range and comes back. A receiver
    /// that is stopped on purpose ends the push at once, with the refusal `cancelled`.
    public var reconnectionLimit: Duration = .seconds(30)
    /// How long to wait for the device to report that it runs the image and keeps it. Default,
    /// `nil`: no wait; the push succeeds when the image is verified and current.
    public var confirmationLimit: Duration?
    /// The logger for the transfer. Default: none.
    public var logger: Logger?

    /// The defaults.
    public init() {}
}
