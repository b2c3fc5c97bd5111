/// What a durable consumer is given, and how long it may take.
package struct ConsumerConfiguration: Sendable, Hashable {
    /// Where a consumer begins when it is made.
    package enum Start: Sendable, Hashable {
        case first
        /// With the last message of each subject, as a bucket's keys have their values.
        case lastOfEachSubject
    }

    package var name: ConsumerName
    /// The messages of the stream that the consumer gets; all of them by default.
    package var filter: SubjectFilter?
    package var start = Start.first
    /// How long a message may take until it is acknowledged or ``PulledMessage/extend()`` is
    /// called; after that, it is delivered again.
    package var acknowledgementLimit = Duration.seconds(30)
    /// The number of deliveries after which a message is given up; `nil` for no limit.
    package var deliveriesMax: UInt16?
    /// The messages that are delivered and not yet acknowledged, over all who fetch.
    package var pendingMax: UInt16 = 1_000

    /// Makes a consumer of all messages.
    package init(_ name: ConsumerName) { self.name = name }
}
