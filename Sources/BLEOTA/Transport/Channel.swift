/// The two streams of datagrams a link carries. Which GATT characteristic serves one depends on
/// the role of this end and is the transport's business (spec/bleota.md, section 9).
public enum Channel: UInt8, Sendable, Hashable, CaseIterable {
    /// Control frames, replies and acknowledgements, in one order.
    case control = 1
    /// Data frames and echo probes.
    case data = 2
}
