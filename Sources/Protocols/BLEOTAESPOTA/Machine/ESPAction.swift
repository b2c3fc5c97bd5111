/// An action that the machine asks its driver to perform.
enum ESPAction: Sendable, Hashable {
    /// Write this value to the characteristic for commands, with a write request.
    case command([UInt8])
    /// Write this value to the characteristic for firmware, with a write request or a write
    /// command.
    case packet([UInt8], isRequest: Bool)
    /// Something that the user may want to know.
    case note(ESPNote)
    /// The device has the image, and restarts.
    case finish
}

/// Something that happened during an update.
enum ESPNote: Sendable, Hashable {
    /// The device kept this many bytes when the link was lost.
    case resumed(byteCount: Int)
    /// The image is sent again from its beginning.
    case restarted
    /// Firmware arrived damaged or not at all, and is sent again from this byte.
    case repeated(fromByte: Int)
    /// The device was in the middle of another update, and is asked to forget it.
    case forgotten
}

/// The reason an update can't continue over this link.
enum ESPFailure: Error, Sendable, Hashable {
    /// The device does not accept the start of an update.
    case startRefused
    /// The device has every sector, but does not accept the end of the update.
    case stopRefused
    /// Firmware from this byte on arrives damaged each time it is sent.
    case damaged(atByte: Int)
    /// The device continues another update, even after it was asked to forget that update.
    case leftOver
    /// The device accepts sectors without checking their CRC, even those with a wrong CRC.
    case unchecked
    /// The device did not answer in time.
    case silent
    /// The device sent something that the protocol does not allow.
    case notUnderstood(String)
}

/// Counters of an update over all links.
struct ESPCounters: Sendable, Hashable {
    /// The number of packets of firmware.
    var packetCount = 0
    /// The number of packets whose sector had been sent before.
    var repeatCount = 0
    /// The number of bytes in all packets.
    var byteCount = 0
}
