/// How fast chunks follow each other: a rate, as the time from one to the next.
struct ChunkSpacing: BitwiseCopyable {
    /// 1 or more.
    let nanoseconds: Int64

    /// The mean spacing of so many chunks in so much time; `nil` if there was none of either.
    init?(of chunkCount: UInt32, in span: Microseconds) {
        guard chunkCount > 0, span > .zero else { return nil }
        nanoseconds = max(span.rawValue * 1_000 / Int64(chunkCount), 1)
    }

    /// The mean of two rates.
    static func mean(_ left: ChunkSpacing, _ right: ChunkSpacing) -> ChunkSpacing {
        let sum = left.nanoseconds + right.nanoseconds
        return ChunkSpacing(nanoseconds: 2 * left.nanoseconds * right.nanoseconds / sum)
    }

    private init(nanoseconds: Int64) { self.nanoseconds = max(nanoseconds, 1) }

    /// How many chunks go by in a span, at most a whole window.
    func chunkCount(in span: Microseconds) -> Int {
        Int(min(span.rawValue * 1_000 / nanoseconds, Int64(WindowPolicy.chunkCountMax)))
    }

    /// A rate that is so much higher.
    ///
    /// - Parameter percent: more than -100.
    func faster(byPercent percent: Int64) -> ChunkSpacing {
        ChunkSpacing(nanoseconds: nanoseconds * 100 / (100 + percent))
    }

    /// Whether this rate is at least a tenth higher than another.
    func isTenthFaster(than other: ChunkSpacing) -> Bool {
        nanoseconds * 11 <= other.nanoseconds * 10
    }
}
