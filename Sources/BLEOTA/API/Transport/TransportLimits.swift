/// The limits of a link. They are plain data, so a quirk of one stack stays inside its
/// transport.
public struct TransportLimits: Sendable, Hashable {
    /// The negotiated ATT_MTU, 23 to 517 bytes.
    public let attMTU: Int
    /// The maximum length of a control datagram, in bytes; at least 18.
    public let controlByteCountMax: Int
    /// The maximum length of a data datagram, in bytes, 18 to 512; 512 is the maximum length of
    /// an attribute value.
    public let dataByteCountMax: Int
    /// Whether datagrams sent without response arrive in order. False for a link with several
    /// EATT bearers, for example.
    public let isOrdered: Bool
    /// Whether the receiver accepts data with response.
    public let takesDataWithResponse: Bool

    /// The number of unread datagrams, sent without response, that this side can buffer before
    /// it loses some; at least 1. The receiver gives no more credit than this.
    public let unreadCountMax: Int

    /// Creates the limits of a GATT link with this ATT_MTU. An attribute value is three bytes
    /// shorter, because of the ATT opcode and handle, and never longer than 512 bytes.
    ///
    /// - Parameters:
    ///   - attMTU: the ATT_MTU, 23 to 517.
    ///   - isOrdered: whether datagrams sent without response arrive in order.
    public init(attMTU: Int, isOrdered: Bool = true) {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        let valueByteCountMax = min(attMTU - 3, 512)
        self.init(
            attMTU: attMTU,
            controlByteCountMax: valueByteCountMax,
            dataByteCountMax: valueByteCountMax,
            isOrdered: isOrdered
        )
    }

    /// Creates the limits of a link that carries less than its ATT_MTU permits. Notifications
    /// of a BlueZ peripheral, for example, carry at most ATT_MTU − 5 bytes.
    public init(
        attMTU: Int,
        controlByteCountMax: Int,
        dataByteCountMax: Int,
        isOrdered: Bool = true,
        takesDataWithResponse: Bool = true,
        unreadCountMax: Int = .max
    ) {
        precondition(controlByteCountMax >= 18 && (18...512).contains(dataByteCountMax))
        precondition(unreadCountMax > 0, "unreadCountMax must be at least 1")
        self.attMTU = attMTU
        self.controlByteCountMax = controlByteCountMax
        self.dataByteCountMax = dataByteCountMax
        self.isOrdered = isOrdered
        self.takesDataWithResponse = takesDataWithResponse
        self.unreadCountMax = unreadCountMax
    }
}
