/// How much a device can take at once over SMP.
package struct BufferLimits: Sendable, Hashable {
    /// The maximum length of a message in bytes, header included.
    package let packetByteCountMax: Int
    /// How many requests may be unanswered at once.
    package let requestCountMax: Int

    /// - Parameters:
    ///   - packetByteCountMax: 1 to 65,535 bytes; other numbers are clamped to this range.
    ///   - requestCountMax: 1 to 32; other numbers are clamped to this range.
    package init(packetByteCountMax: Int, requestCountMax: Int) {
        self.packetByteCountMax = min(max(packetByteCountMax, 1), Int(UInt16.max))
        self.requestCountMax = min(max(requestCountMax, 1), Self.requestsHeldMax)
    }

    /// The upper bound of ``requestCountMax``, which is more than any link needs: 32 messages of
    /// 2,475 bytes are 79 KB.
    static let requestsHeldMax = 32

    /// Parses the reply to ``SMPRequest/parameters``; `nil` if it lacks a number or has an
    /// impossible one.
    ///
    /// The device takes the buffer of a reply from the same pool, so one of the buffers that it
    /// states is not available for requests. Measured with Zephyr 4.1: with 4 buffers, one of five
    /// requests at once is sometimes lost, but never one of three.
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
