/// The settings of a sender. The defaults suit a central on a phone or on Linux, and a
/// Bluetooth LE link with a connection interval of 7.5 to 400 ms.
public struct SenderOptions: Sendable, BitwiseCopyable {
    /// The policy that limits the chunks in flight. Default: ``WindowPolicy/automatic``.
    public var window: WindowPolicy = .automatic
    /// Whether the link keeps datagrams in order. If it does not, a chunk counts as lost only
    /// after three later ones have arrived. Default: true.
    public var isLinkOrdered = true
    /// How long the sender waits for any valid frame before the session ends as `silent`.
    /// Default: 10 s.
    public var silenceLimit: Microseconds = .seconds(10)
    /// How long the sender waits for a newly acknowledged chunk before the session ends as
    /// `stalled`. Default: 60 s.
    public var progressLimit: Microseconds = .seconds(60)
    /// The limit that replaces ``progressLimit`` after a BUSY from the receiver. It also limits the
    /// time without any progress past the furthest position reached so far. Default: 600 s.
    public var busyLimit: Microseconds = .seconds(600)

    /// Creates the default options.
    public init() {}
}
