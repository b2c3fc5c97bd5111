/// The knobs of a sender. The defaults suit a phone-class or Linux central on a Bluetooth LE link
/// with a connection interval of 7.5 to 400 ms.
public struct SenderOptions: Sendable, BitwiseCopyable {
    /// How many chunks are kept in flight. Default: ``WindowPolicy/automatic``.
    public var window: WindowPolicy = .automatic
    /// Whether datagrams on the link keep their order. If not, a chunk counts as lost only after
    /// three later ones arrived. Default: true.
    public var isLinkOrdered = true
    /// How long to wait for a sign of life before the session ends as `silent`. Default 10 s.
    public var silenceLimit: Microseconds = .seconds(10)
    /// How long ACKs may bring no news before the session ends as `stalled`. Default 60 s.
    public var progressLimit: Microseconds = .seconds(60)
    /// The same while the receiver says that it is busy. Default 600 s.
    public var busyLimit: Microseconds = .seconds(600)

    /// The defaults.
    public init() {}
}
