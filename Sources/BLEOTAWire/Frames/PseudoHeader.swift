/// The part of a data frame's checksum input that is not sent: session, object, epoch and the
/// full chunk index (spec/bleota.md, section 2.4). It makes the checksum fail for a frame of
/// another session, object or epoch, and for a truncated index that stands for another chunk,
/// without adding bytes to the frame.
public struct PseudoHeader: Hashable, Sendable, BitwiseCopyable {
    private let checksum: Checksum

    /// Creates the header for the data frames of one epoch. Its checksum is computed only once.
    public init(session: SessionNumber, object: ObjectID, epoch: Epoch) {
        var checksum = Checksum()
        checksum.update(
            UInt32(session.rawValue) | UInt32(object.rawValue) << 16 | UInt32(epoch.rawValue) << 24
        )
        self.checksum = checksum
    }

    private init(_ checksum: Checksum) { self.checksum = checksum }

    /// The header of echo probes: session 0, object 255 and epoch 0. Its checksum is a
    /// constant.
    public static var echo: PseudoHeader { PseudoHeader(Checksum(remainder: 0xFCE1)) }

    /// Returns the checksum of the pseudo-header, to be continued over the frame of this chunk.
    func checksum(chunkIndex: UInt32) -> Checksum {
        var checksum = checksum
        checksum.update(chunkIndex)
        return checksum
    }
}
