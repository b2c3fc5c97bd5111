/// What a store says of itself before a manifest is judged.
public struct StoreStatus: Hashable, Sendable {
    /// The lowest security counter that images may have: the highest that
    /// ``ImageStore/raiseCounter(to:)`` had returned for, ever.
    public var counter: UInt32
    /// Whether it decodes images that travel encoded when they are published. Default: no, and such
    /// images are refused.
    public var decodesImages = false
    /// The SHA-256 that the image has which is current, by its manifest: what a patch may be
    /// against. Default: there is none.
    public var currentSHA256: [UInt8]?

    /// A store that takes images as they are.
    public init(counter: UInt32) { self.counter = counter }
}
