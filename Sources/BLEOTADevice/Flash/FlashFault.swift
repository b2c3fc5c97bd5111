/// A flash that can't do what it should.
public struct FlashFault: Error, Hashable, Sendable, BitwiseCopyable {
    /// What its driver says of it.
    public let code: Int32

    /// A fault with a number of the driver's own.
    public init(code: Int32) { self.code = code }
}
