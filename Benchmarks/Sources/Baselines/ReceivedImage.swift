/// What a receiver has stored of an image, one piece after the other.
///
/// Pieces say which bytes of the image they are, so whether the right bytes are in the right places
/// is known without the bytes: this also stands for the checksum of what is stored.
struct ReceivedImage: Hashable {
    /// All that is stored.
    private(set) var byteCount = 0
    /// How much of it, from the beginning, is what the image has there.
    private var intactByteCount = 0

    /// Nothing that is stored is wrong.
    var isIntact: Bool { intactByteCount == byteCount }

    /// It is the image.
    func isWhole(_ imageByteCount: Int) -> Bool { isIntact && byteCount == imageByteCount }

    /// Stores a piece behind what is stored, whether it belongs there or not.
    mutating func append(_ range: Range<Int>) {
        if isIntact, range.lowerBound == byteCount { intactByteCount += range.count }
        byteCount += range.count
    }

    /// Drops what is stored from there on.
    mutating func truncate(to byteCount: Int) {
        self.byteCount = min(self.byteCount, byteCount)
        intactByteCount = min(intactByteCount, byteCount)
    }
}
