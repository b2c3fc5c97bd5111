/// The limits that a link sets, without those that the device's buffers set.
package struct LinkLimits: Sendable, Hashable {
    /// The limits to assume for a device on such a link if it does not state its buffers.
    package let unstated: BufferLimits
    /// The maximum length of a message on the link; `nil` if the link sets no limit.
    package let packetByteCountMax: Int?
    /// How many bytes of the device's buffer the framing takes.
    package let framingByteCount: Int
    /// The length of the pieces in which a message is sent, if it is sent in pieces. A message that
    /// fills its pieces wastes no room in the last one.
    package let pieceByteCount: Int?
    /// Whether the link loses nothing while it is up.
    package let isReliable: Bool

    package init(
        unstated: BufferLimits,
        packetByteCountMax: Int? = nil,
        framingByteCount: Int = 0,
        pieceByteCount: Int? = nil,
        isReliable: Bool
    ) {
        self.unstated = unstated
        self.packetByteCountMax = packetByteCountMax
        self.framingByteCount = framingByteCount
        self.pieceByteCount = pieceByteCount
        self.isReliable = isReliable
    }

    /// The limits of a device with these buffers over this link.
    func limits(of buffers: BufferLimits?) -> BufferLimits {
        let buffers = buffers ?? unstated
        var byteCount = buffers.packetByteCountMax - framingByteCount
        if let packetByteCountMax { byteCount = min(byteCount, packetByteCountMax) }
        if let pieceByteCount, byteCount > pieceByteCount {
            byteCount -= byteCount % pieceByteCount
        }
        return BufferLimits(
            packetByteCountMax: byteCount,
            requestCountMax: buffers.requestCountMax
        )
    }
}
