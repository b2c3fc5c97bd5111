/// Why stored bytes are not what they should be. A program of another version wrote them, or one
/// that isn't ours.
package enum CodecError: Error, Sendable, Hashable {
    /// There are fewer bytes than the first of them promise.
    case truncated
    /// There are more bytes than the value has.
    case tooLong
    /// An item is of another type than belongs there, or not written in its shortest form.
    case unexpected
    /// A value is outside of its range.
    case outOfRange
    /// The value is of a version that this program doesn't know.
    case otherVersion(UInt64)
}
