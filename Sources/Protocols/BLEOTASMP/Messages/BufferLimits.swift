/// How much of SMP a device can take at once.
package struct BufferLimits: Sendable, Hashable {
    /// The longest message in bytes, header included.
    package let packetByteCountMax: Int
    /// How many requests may be unanswered at once.
    package let requestCountMax: Int

    /// - Parameters:
    ///   - packetByteCountMax: at least 1 byte; more than 65,535 counts as that.
    ///   - requestCountMax: 1 to 32; numbers outside of this range count as its nearest end.
    package init(packetByteCountMax: Int, requestCountMax: Int) {
        self.packetByteCountMax = min(max(packetByteCountMax, 1), Int(UInt16.max))
        self.requestCountMax = min(max(requestCountMax, 1), Self.requestsHeldMax)
    }

    /// More requests than any link needs: 32 messages of 2,475 bytes are 79 KB.
    static let requestsHeldMax = 32

    /// Parses the reply to ``SMPRequest/parameters``; `nil` if it lacks a number or has an
    /// impossible one.
    ///
    /// The device takes the reply to a request from the same buffers, so one fewer than it states
    /// can hold requests. Measured with Zephyr 4.1: with 4 buffers, the fifth request at once is
    /// sometimes lost, and 3 never are.
    package init?(_ reply: SMPReply) {
        guard let byteCount = reply.content["buf_size"]?.integer,
            let count = reply.content["buf_count"]?.integer, byteCount > 0, count > 0
        else { return nil }
        self.init(
            packetByteCountMax: Int(clamping: byteCount),
            requestCountMax: Int(clamping: count) - 1
        )
    }
}
