/// A model of the image upload of SMP, the simple management protocol of MCUmgr: requests of a
/// header and a map with an offset and data, each answered by a notification with the offset that
/// the receiver wants next.
///
/// A request that does not fit a value goes in several, which carry nothing to tell them apart: the
/// receiver puts them together by length alone.
enum SMP {
    enum Frame {
        case fragment(Fragment)
        case response(sequence: Int, offset: Int)
    }

    /// A value, or a part of a request.
    struct Fragment {
        let sequence: Int
        /// The bytes of the image in the whole request.
        let range: Range<Int>
        let index: Int
        let count: Int
    }

    /// The header's 8 bytes, and about 17 of the map's keys and numbers.
    static let overheadByteCount = 25
    /// About 20: the header, and a map of a result and an offset.
    static let responseByteCount = 20
    /// A request in fragments is as long as one that fits an ATT_MTU of 247 whole.
    static let fragmentedByteCount = 244
    /// Where a value is shorter than this, requests go in fragments: more than half would be
    /// overhead.
    static let wholeByteCountMin = 2 * overheadByteCount
}
