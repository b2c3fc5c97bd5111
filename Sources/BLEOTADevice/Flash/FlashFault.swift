/// The failure of a flash operation.
public struct FlashFault: Error, Hashable, Sendable, BitwiseCopyable {
    /// The number that the driver reports for the fault.
    public let code: Int32

    /// Creates a fault with a number that the driver defines.
    public init(code: Int32) { self.code = code }
}
