/// The cases of ``StorageAnswer`` as functions, for a store that answers within the session in
/// which it was asked. They do what ``Receiver/handle(_:for:at:)`` does, without the enum: to pack
/// and unpack its payloads takes a microcontroller hundreds of bytes of code.
///
/// An answer is of the moment of the last input, or of that to which ``advance(to:)`` moves on.
extension Receiver {
    package mutating func advance(to now: Instant) { context.now.advance(to: now) }

    package mutating func planned(_ plan: ObjectPlan, isMismatch: Bool) {
        _ = state.planned(plan, isMismatch: isMismatch, context: &context)
    }

    /// The image is current, since now or from before.
    package mutating func published(receipt: UInt64) {
        _ = state.published(receipt, context: &context)
    }

    package mutating func stored(block: Int) {
        _ = state.stored(block, context: &context)
    }

    package mutating func rejected(block: Int) {
        _ = state.rejected(block, context: &context)
    }

    package mutating func durable(byteCount: UInt32) {
        _ = state.durable(byteCount, context: &context)
    }

    package mutating func lookUpAgain() {
        _ = state.lookUpAgain(context: &context)
    }

    package mutating func refused(_ reason: Reason, detail: UInt64) {
        _ = state.refused(reason, detail, context: &context)
    }
}
