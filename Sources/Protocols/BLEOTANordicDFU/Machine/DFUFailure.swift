/// The reason an update can't continue over this link.
enum DFUFailure: Error, Sendable, Hashable {
    /// The device refuses a request of Secure DFU.
    case refused(SecureResult, DFUStep)
    /// The device refuses a request of Legacy DFU.
    case refusedByLegacy(LegacyResult, DFUStep)
    /// The device did not answer in time.
    case silent
    /// The device sent something that the protocol does not allow.
    case notUnderstood(String)
    /// Firmware from this byte on arrives damaged each time it is sent.
    case damaged(atByte: Int)
    /// Firmware was lost on its way, and can be sent again only over another link.
    case lost
    /// The device has to restart before another update can begin.
    case leftOver
}

/// What a request was for, as a clause after "The device refused to".
enum DFUStep: String, Sendable, Hashable {
    case start = "start an update"
    case initPacket = "accept the init packet"
    case firmware = "receive the firmware"
    case validation = "accept the image"
    case bootloader = "enter its bootloader"
}
