/// Why a datagram is not a frame. Whoever gets one drops the datagram and does not answer, except
/// for an OPEN of another version ([FRAME-3], [FRAME-4]).
///
/// Where several apply, the first in the order of the cases is reported.
public enum FrameDecodingError: Error, Hashable, Sendable {
    /// The datagram is empty.
    case empty
    /// The version in byte 0 is not this one; a RESULT is read in any. For an OPEN whose checksum
    /// is right, the session it would open; `nil` for everything else.
    case version(opening: SessionNumber?)
    /// The opcode is not assigned, or not to the end it came from.
    case opcode
    /// The length is not that of the opcode.
    case length
    /// The checksum is wrong, which is also how a frame of another session shows.
    case checksum
    /// A reserved bit is set.
    case reserved
    /// A field is out of its range (spec/bleota.md, section 2.3).
    case range
}
