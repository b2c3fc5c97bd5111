/// The result of the handler of ``BusConnection/onReadable(_:pause:_:)``.
public enum BusReading: Sendable, Hashable {
    /// The handler has read something, and there may be more.
    case something
    /// There was nothing to read.
    case nothing
    /// There will be nothing more: don't call it again.
    case over
}
