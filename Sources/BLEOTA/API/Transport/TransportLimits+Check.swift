extension TransportLimits {
    /// The maximum length of a datagram on this channel, in bytes.
    public func byteCountMax(on channel: Datagram.Channel) -> Int {
        switch channel {
        case .control: controlByteCountMax
        case .data: dataByteCountMax
        }
    }

    /// Throws an error for a datagram that this link can't carry. Every
    /// ``Transport/send(_:on:_:)`` must perform this check.
    ///
    /// - Throws: ``TransportError/emptyDatagram`` or
    ///   ``TransportError/datagramTooLarge(byteCount:limit:)``.
    public func check(_ datagram: [UInt8], on channel: Datagram.Channel) throws(TransportError) {
        if datagram.isEmpty { throw .emptyDatagram }
        let limit = byteCountMax(on: channel)
        if datagram.count > limit {
            throw .datagramTooLarge(byteCount: datagram.count, limit: limit)
        }
    }
}
