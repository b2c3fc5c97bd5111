public import BLEOTAWire

/// Why a receiver does not take what a manifest describes, as RESULT says it.
public struct ManifestRefusal: Error, Hashable, Sendable, BitwiseCopyable {
    /// One of class 5, or what an application has of its own.
    public let reason: Reason
    /// What goes with the reason (spec/registry.md).
    public let detail: UInt64

    /// A refusal; most reasons have no detail.
    public init(_ reason: Reason, detail: UInt64 = 0) {
        self.reason = reason
        self.detail = detail
    }
}
