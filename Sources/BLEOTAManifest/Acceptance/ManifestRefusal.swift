public import BLEOTAWire

/// The reason a receiver refuses the image in a manifest, as sent in RESULT.
public struct ManifestRefusal: Error, Hashable, Sendable, BitwiseCopyable {
    /// A reason of class 1, 3 or 5, or one that the application defines.
    public let reason: Reason
    /// The detail that belongs to the reason (spec/registry.md).
    public let detail: UInt64

    /// Creates a refusal. Most reasons have no detail.
    public init(_ reason: Reason, detail: UInt64 = 0) {
        self.reason = reason
        self.detail = detail
    }
}
