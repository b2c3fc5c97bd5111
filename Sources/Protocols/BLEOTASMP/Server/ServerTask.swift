package import BLEOTA

/// A task that a server's machine gives to the store, one at a time.
package enum ServerTask: Sendable, Hashable {
    /// Find or begin an upload. `beginning` is the first part of the file.
    case begin(UploadID, beginning: [UInt8], isUpgradeOnly: Bool)
    case append([UInt8], to: UploadID, offset: Int)
    /// Verify a complete upload.
    case finish(UploadID)
    /// Forget an upload whose sender violated the protocol.
    case abandon(UploadID)
    case slots
    case mark(hash: [UInt8], isForGood: Bool)
    case confirmRunning
    case erase(slot: Int)
    /// Make the marked image current. The reply has been sent.
    case restart
}

/// The store's answer to a task.
package enum ServerAnswer: Sendable, Hashable {
    /// How much of the upload the store has; `nil` if it has no such upload.
    case offset(Int?)
    /// Whether the upload matches the hash that its sender announced.
    case finished(isMatch: Bool)
    case slots([ImageSlot])
    case done
    case failed(SMPError)
}

/// An action for the driver of a server. The driver performs actions in the order it gets them.
package enum ServerAction: Sendable, Hashable {
    case reply([UInt8])
    /// Perform the task and report the store's answer, even if it is ``ServerAnswer/done``.
    case perform(ServerTask)
}
