/// A position in a transfer: an object and a byte count. The manifest comes before the image,
/// so any position in the image is further than every position in the manifest.
package struct TransferPosition: BitwiseCopyable, Comparable, Sendable {
    let object: ObjectID
    let byteCount: UInt64

    /// Creates a position in an object, in bytes from the beginning of the object.
    package init(object: ObjectID, byteCount: UInt64) {
        self.object = object
        self.byteCount = byteCount
    }

    /// Whether the left position comes before the right one.
    package static func < (left: TransferPosition, right: TransferPosition) -> Bool {
        (left.object.rawValue, left.byteCount) < (right.object.rawValue, right.byteCount)
    }

    /// Returns the further of two positions, either of which may be unknown.
    package static func further(
        of left: TransferPosition?,
        _ right: TransferPosition?
    ) -> TransferPosition? {
        guard let left else { return right }
        return right.map { max(left, $0) } ?? left
    }
}

/// The furthest positions that have been reported.
package struct FurthestPositions: BitwiseCopyable {
    private var acknowledged: TransferPosition?
    private(set) var durable: TransferPosition?

    package init() {}

    /// Records the positions in an ACK. Returns whether either is further than ever before.
    package mutating func reach(acknowledged: TransferPosition, durable: TransferPosition) -> Bool {
        let isFurther =
            self.acknowledged.map { acknowledged > $0 } ?? true
            || self.durable.map { durable > $0 } ?? true
        self.acknowledged = max(self.acknowledged ?? acknowledged, acknowledged)
        self.durable = max(self.durable ?? durable, durable)
        return isFurther
    }
}
