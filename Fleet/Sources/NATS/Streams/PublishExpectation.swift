/// What must be the last message so that another is stored. If it isn't, the error is
/// ``NATSError/revisionConflict``.
package enum PublishExpectation: Sendable, Hashable {
    /// Whatever it is.
    case anything
    /// The last message of the stream has this sequence, which is 1 or more.
    case lastInStream(UInt64)
    /// The last message of the same subject has this sequence; `nil` if there is none.
    case lastOfSubject(UInt64?)
}
