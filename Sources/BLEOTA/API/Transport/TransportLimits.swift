/// What a link can carry, as data, so that a quirk of one stack stays in its own transport.
public struct TransportLimits: Sendable, Hashable {
    /// The negotiated ATT_MTU, 23 to 517 bytes.
    public let attMTU: Int
    /// The largest control datagram in bytes, at least 18.
    public let controlByteCountMax: Int
    /// The largest data datagram in bytes, at least 18 and at most 512, the longest ATT value.
    public let dataByteCountMax: Int
    /// False where datagrams sent without response may overtake each other (EATT bearers).
    public let isOrdered: Bool
    /// False where the receiver takes data without response only.
    public let takesDataWithResponse: Bool

    /// How many datagrams sent without response this end holds for a receiver that is late, before
    /// it loses some; at least 1. The receiver gives no more credit than that.
    public let unreadCountMax: Int

    /// The limits of a GATT link with this ATT_MTU: a value carries three bytes less (the ATT
    /// opcode and handle), and never more than 512 bytes.
    ///
    /// - Parameter attMTU: 23 to 517.
    public init(attMTU: Int, isOrdered: Bool = true) {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        let valueByteCountMax = min(attMTU - 3, 512)
        self.init(
            attMTU: attMTU,
            controlByteCountMax: valueByteCountMax,
            dataByteCountMax: valueByteCountMax,
            isOrdered: isOrdered
        )
    }

    /// Limits of a link that can carry less than its ATT_MTU promises, such as notifications of
    /// a BlueZ peripheral, which stop at ATT_MTU − 5.
    public init(
        attMTU: Int,
        controlByteCountMax: Int,
        dataByteCountMax: Int,
        isOrdered: Bool = true,
        takesDataWithResponse: Bool = true,
        unreadCountMax: Int = .max
    ) {
        precondition(controlByteCountMax >= 18 && (18...512).contains(dataByteCountMax))
        precondition(unreadCountMax > 0, "a link must carry something")
        self.attMTU = attMTU
        self.controlByteCountMax = controlByteCountMax
        self.dataByteCountMax = dataByteCountMax
        self.isOrdered = isOrdered
        self.takesDataWithResponse = takesDataWithResponse
        self.unreadCountMax = unreadCountMax
    }
}
