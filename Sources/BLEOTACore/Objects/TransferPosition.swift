/// How much of which object of a transfer. The manifest comes before the image, so any of the image
/// is further than all of the manifest.
package struct TransferPosition: BitwiseCopyable, Comparable, Sendable {
    let object: ObjectID
    let byteCount: UInt64

    /// A place in an object, in bytes from its beginning.
    package init(object: ObjectID, byteCount: UInt64) {
        self.object = object
        self.byteCount = byteCount
    }

    /// The further one last.
    package static func < (left: TransferPosition, right: TransferPosition) -> Bool {
        (left.object.rawValue, left.byteCount) < (right.object.rawValue, right.byteCount)
    }

    /// The further of two, either of which may be unknown.
    package static func further(
        of left: TransferPosition?,
        _ right: TransferPosition?
    ) -> TransferPosition? {
        guard let left else { return right }
        return right.map { max(left, $0) } ?? left
    }
}

/// The furthest positions that were told.
package struct FurthestPositions: BitwiseCopyable {
    private var acknowledged: TransferPosition?
    private(set) var durable: TransferPosition?

    package init() {}

    /// Notes where an ACK is; true if that is further than ever.
    package mutating func reach(acknowledged: TransferPosition, durable: TransferPosition) -> Bool {
        let isFurther =
            self.acknowledged.map { acknowledged > $0 } ?? true
            || self.durable.map { durable > $0 } ?? true
        self.acknowledged = max(self.acknowledged ?? acknowledged, acknowledged)
        self.durable = max(self.durable ?? durable, durable)
        return isFurther
    }
}
