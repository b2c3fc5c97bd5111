public import BLEOTACore

/// A task that a receiver gives its store. The store must perform its tasks in the order in which
/// it receives them. It answers each task once with ``BLEOTACore/Receiver/handle(_:for:at:)``,
/// except ``release(discarding:)`` and tasks that ``StorageAnswer/rejected(block:)`` withdraws.
public enum StorageTask: Hashable, Sendable, BitwiseCopyable {
    /// Look up the held part of a transfer. Answer: `.planned`, `.alreadyCurrent` or
    /// `.refused`.
    case lookUp(TransferTag, manifestByteCount: UInt32)
    /// Check and write this block. ``/BLEOTACore/Receiver/withBytes(ofBlock:_:)`` gives
    /// access to its bytes. Answer: `.stored`, `.rejected` or `.refused`.
    case write(ObjectID, block: Int)
    /// Judge the complete manifest and make room for its image. Answer: `.planned`,
    /// `.manifestMismatch` or `.refused`.
    case judge
    /// Hash the stored image and make it current. Answer: `.published`, `.lookUpAgain` or
    /// `.refused`.
    case publish
    /// The session is over: release the transfer and keep the durable data, or discard all of it.
    case release(discarding: Bool)
}

/// Connects an answer from the store with its task, so that an answer that arrives after the end of
/// the session is ignored.
public struct StorageTicket: Hashable, Sendable, BitwiseCopyable {
    let number: UInt32
}

/// An answer from the store to a task.
public enum StorageAnswer: Sendable {
    /// The object in the plan is to be received next. A plan for the manifest after it was
    /// judged has the same meaning as ``manifestMismatch(_:)``.
    case planned(ObjectPlan)
    /// The image of this transfer is already verified and current. The value is the first 8
    /// bytes of its SHA-256, as in RESULT.
    case alreadyCurrent(digestPrefix: UInt64)
    /// The block is written, but not necessarily durable yet.
    case stored(block: Int)
    /// The block does not match its hash. The receiver withdraws this block and all later ones
    /// that were handed over, and hands them over again later. The store drops the tasks for
    /// them, and neither reads their bytes nor answers these tasks.
    case rejected(block: Int)
    /// The first `byteCount` bytes of the object are durable. The store reports this on its own
    /// initiative, not in answer to a task.
    case durable(byteCount: UInt32)
    /// The manifest is not the one announced and was dropped. The plan is for receiving it again.
    case manifestMismatch(ObjectPlan)
    /// The image is verified and current. The value is the first 8 bytes of its SHA-256.
    case published(digestPrefix: UInt64)
    /// The stored image does not match its hash. The wrong blocks were dropped, and the
    /// transfer must be looked up again.
    case lookUpAgain
    /// The task can't be done, or the policy forbids it.
    case refused(Reason, detail: UInt64)
}
