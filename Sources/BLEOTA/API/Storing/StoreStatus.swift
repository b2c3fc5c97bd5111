/// The parts of a store's state that are needed to judge a manifest.
public struct StoreStatus: Hashable, Sendable {
    /// The lowest accepted security counter: the highest value to which
    /// ``ImageStore/raiseCounter(to:)`` has ever raised it; 0 at first.
    public var counter: UInt32
    /// Whether the store decodes encoded images when it publishes them. Default: no; encoded
    /// images are refused.
    public var decodesImages = false
    /// The SHA-256 of the current image, as stated in its manifest: the base that a patch may
    /// use. Default: none.
    public var currentSHA256: [UInt8]?

    /// The status of a store that accepts only unencoded images.
    public init(counter: UInt32) { self.counter = counter }
}
