public import BLEOTACore

/// What a receiver wants its store to do. Tasks are to be done in the order in which they come, and
/// each is answered once by ``Receiver/handle(_:for:at:)``, except ``release(discarding:)`` and
/// what ``StorageAnswer/rejected(block:)`` takes back.
public enum StorageTask: Hashable, Sendable, BitwiseCopyable {
    /// Find what is held of a transfer. Answer: `.planned`, `.alreadyCurrent` or `.refused`.
    case lookUp(TransferTag, manifestByteCount: UInt32)
    /// Check this block and write it; its bytes are in ``Receiver/withBytes(ofBlock:_:)``.
    /// Answer: `.stored`, `.rejected` or `.refused`.
    case write(ObjectID, block: Int)
    /// Judge the complete manifest and make room for its image. Answer: `.planned`,
    /// `.manifestMismatch` or `.refused`.
    case judge
    /// Hash the stored image and make it current. Answer: `.published`, `.lookUpAgain`, or
    /// `.refused`.
    case publish
    /// The session is over: let the transfer rest, or forget all of it.
    case release(discarding: Bool)
}

/// Ties an answer of the store to the task, so that one that comes after its session is ignored.
public struct StorageTicket: Hashable, Sendable, BitwiseCopyable {
    let number: UInt32
}

/// What the store answers.
public enum StorageAnswer: Sendable {
    /// This is what has to be received next. Of the manifest, after it was judged, it says the same
    /// as ``manifestMismatch(_:)``.
    case planned(ObjectPlan)
    /// The image of this transfer is verified and current already; with the first 8 bytes
    /// of its SHA-256, as RESULT has them.
    case alreadyCurrent(digestPrefix: UInt64)
    /// The block is written, if not yet durable.
    case stored(block: Int)
    /// The block does not have its hash. With it all blocks after it that are with the store are
    /// taken back, and come again: the store drops those tasks, and neither asks for their bytes
    /// nor answers them.
    case rejected(block: Int)
    /// The first `byteCount` bytes of the object are durable. Comes on its own, not for a task.
    case durable(byteCount: UInt32)
    /// The manifest is not the one announced, and was dropped; the plan is to receive it anew.
    case manifestMismatch(ObjectPlan)
    /// The image is verified and current; with the first 8 bytes of its SHA-256.
    case published(digestPrefix: UInt64)
    /// What is stored is not what was written: the wrong blocks were dropped, look up again.
    case lookUpAgain
    /// It can't or won't be.
    case refused(Reason, detail: UInt64)
}
