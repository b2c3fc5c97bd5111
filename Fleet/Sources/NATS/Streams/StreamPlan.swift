/// The configuration of any stream, also of the one behind a bucket, as libnats takes it.
struct StreamPlan: Sendable {
    let name: String
    let subjects: [String]
    var isWorkQueue = false
    var replicaCount = ReplicaCount.one
    var messagesMax: Int64?
    var messagesPerSubjectMax: Int64?
    var byteCountMax: Int64?
    /// The largest message, with its headers.
    var messageByteCountMax: Int32?
    var ageMax: Duration?
    var deduplicationWindow = Duration.seconds(120)
    var isBucket = false
    /// Whether a message for which there is no room is refused, instead of forgetting the oldest.
    var refusesWhenFull = false
    /// Whether messages go only as newer ones come, not because a client asks for it.
    var isAppendOnly = false

    init(name: String, subjects: [String]) {
        self.name = name
        self.subjects = subjects
    }

    init(_ configuration: StreamConfiguration) throws(NATSError) {
        let subjects = configuration.subjects
        guard (1...StreamConfiguration.subjectsMax).contains(subjects.count) else {
            throw .wrongArgument("1 to \(StreamConfiguration.subjectsMax) subjects")
        }
        self.init(name: configuration.name.text, subjects: subjects.map(\.text))
        isWorkQueue = configuration.retention == .workQueue
        replicaCount = configuration.replicaCount
        messagesMax = configuration.messagesMax
        byteCountMax = configuration.byteCountMax
        ageMax = configuration.ageMax
        deduplicationWindow = configuration.deduplicationWindow
        messageByteCountMax = configuration.messageByteCountMax
        isAppendOnly = configuration.isAppendOnly
    }
}
