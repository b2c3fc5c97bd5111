/// What a watch sees.
package enum BucketChange: Sendable, Hashable {
    /// A key has this value, or none any more.
    case entry(BucketEntry)
    /// Everything that was there when the watch began has been seen. Comes once.
    case caughtUp
    /// The bucket was made anew, or has lost revisions that were seen. Forget all entries; what is
    /// there follows.
    case startedOver
}
