/// The error in a line that should contain a ``TraceRecord``.
package enum TraceError: Error, Sendable, Hashable {
    /// The line does not have four fields.
    case fieldCount(Int)
    /// The first field is not a number of microseconds.
    case time(String)
    /// The second field is neither `out` nor `in`.
    case direction(String)
    /// The third field is neither `control` nor `data`.
    case channel(String)
    /// The number of hexadecimal digits is odd, although each byte takes two.
    case hexDigitCount(Int)
    /// One of the two digits of a byte is not hexadecimal. `position` is the index of the first
    /// of the two in the fourth field.
    case hexDigit(position: Int)
    /// The datagram is longer than any link carries.
    case tooLong(byteCount: Int, limit: Int)
}

extension TraceError: CustomStringConvertible {
    /// One sentence for the user.
    package var description: String {
        switch self {
        case .fieldCount(let count):
            "A trace line has four fields, '<microseconds> <out|in> <control|data> <hex>', but "
                + "this one has \(count)."
        case .time(let text): "'\(text)' is not a time in microseconds."
        case .direction(let text): "'\(text)' is not a direction; a direction is 'out' or 'in'."
        case .channel(let text): "'\(text)' is not a channel; a channel is 'control' or 'data'."
        case .hexDigitCount(let count): "Hexadecimal digits come in pairs, but there are \(count)."
        case .hexDigit(let position): "The digit at position \(position) is not hexadecimal."
        case .tooLong(let byteCount, let limit):
            "A datagram of \(byteCount) bytes is longer than the \(limit) that a link carries."
        }
    }
}
