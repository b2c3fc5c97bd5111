/// How many requests of an upload may be unanswered.
///
/// The window begins with one request and grows by one with each round without a loss. The first
/// sign of a loss brings it back to one request, and lowers its ceiling below the size at which the
/// device lost something. After 64 replies without a loss, the ceiling rises by one again.
struct UploadWindow: Hashable, BitwiseCopyable {
    private static let repliesPerRise = 64

    private let limit: Int
    private(set) var size = 1
    private var ceiling: Int
    /// The number of replies since the last change.
    private var replyCount = 0

    init(limit: Int) {
        self.limit = limit
        ceiling = limit
    }

    mutating func replied() {
        replyCount += 1
        if size < ceiling, replyCount >= size {
            size += 1
            replyCount = 0
        } else if ceiling < limit, replyCount >= Self.repliesPerRise {
            ceiling += 1
            replyCount = 0
        }
    }

    mutating func lost() {
        ceiling = max(1, size - 1)
        size = 1
        replyCount = 0
    }
}
