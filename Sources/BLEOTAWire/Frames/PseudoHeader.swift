/// What the checksum of a data frame covers besides the frame: session, object, epoch and the whole
/// chunk index (spec/bleota.md, section 2.4). A frame of another session, object or epoch, or one
/// whose truncated index aliases another, fails its checksum at no cost on the air.
public struct PseudoHeader: Hashable, Sendable, BitwiseCopyable {
    private let checksum: Checksum

    /// The header of the data frames of one epoch; its checksum is computed once.
    public init(session: SessionNumber, object: ObjectID, epoch: Epoch) {
        var checksum = Checksum()
        checksum.update(
            UInt32(session.rawValue) | UInt32(object.rawValue) << 16 | UInt32(epoch.rawValue) << 24
        )
        self.checksum = checksum
    }

    private init(_ checksum: Checksum) { self.checksum = checksum }

    /// The header of echo probes: session 0, object 255 and epoch 0, whose checksum is known.
    public static var echo: PseudoHeader { PseudoHeader(Checksum(remainder: 0xFCE1)) }

    /// A checksum to go on with over the frame that carries this chunk.
    func checksum(chunkIndex: UInt32) -> Checksum {
        var checksum = checksum
        checksum.update(chunkIndex)
        return checksum
    }
}
