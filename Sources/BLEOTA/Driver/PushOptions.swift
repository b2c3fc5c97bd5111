public import BLEOTACore

/// The knobs of a push, and of a pull, which uses the limits only.
public struct PushOptions: Sendable {
    /// How data is written: without response by default, which is fast; with response each frame
    /// waits for the peer's stack.
    public var delivery: Delivery = .withoutResponse
    /// How many chunks are kept in flight. Default: automatic.
    public var window: WindowPolicy = .automatic
    /// How long to wait for a sign of life. Default 10 s.
    public var silenceLimit: Duration = .seconds(10)
    /// How long to wait for progress from a peer that answers. Default 60 s.
    public var progressLimit: Duration = .seconds(60)
    /// The same while the receiver is busy, as with an erase or with verifying; at least
    /// ``progressLimit``. Default 600 s. A push ends after that time, too, when it got no further
    /// than ever, however often the receiver began anew.
    public var busyLimit: Duration = .seconds(600)
    /// How long to try to make the first link where nobody is at the other end; used where there is
    /// a ``Connector``. Default 3 s, in which a service starts again.
    public var connectionLimit: Duration = .seconds(3)
    /// How long to try to make a lost link again before giving up, from the last progress on; used
    /// where there is a ``Connector``. Default 30 s.
    public var reconnectionLimit: Duration = .seconds(30)

    /// The defaults.
    public init() {}
}
