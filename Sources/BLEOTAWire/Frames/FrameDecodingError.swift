/// The reason a datagram is not a valid frame. The receiving end drops the datagram without an
/// answer, unless it is an OPEN of another version ([FRAME-3], [FRAME-4]).
///
/// If several reasons apply, the first case below is reported.
public enum FrameDecodingError: Error, Hashable, Sendable {
    /// The datagram is empty.
    case empty
    /// The version in byte 0 is not the current one; RESULT *version* is accepted in any
    /// version. For an OPEN with a valid checksum, the value is the session that it would open;
    /// otherwise it is `nil`.
    case version(opening: SessionNumber?)
    /// The opcode is not assigned for this direction.
    case opcode
    /// The length does not match the opcode.
    case length
    /// The checksum is wrong. A frame of another session also fails with this error.
    case checksum
    /// A reserved bit is set.
    case reserved
    /// A field is out of range (spec/bleota.md, section 2.3).
    case range
}
