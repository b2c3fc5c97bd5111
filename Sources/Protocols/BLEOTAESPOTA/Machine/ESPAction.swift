/// What the machine asks its driver to do.
enum ESPAction: Sendable, Hashable {
    /// Write this value to the characteristic for commands, by a write request.
    case command([UInt8])
    /// Write this value to the characteristic for firmware, by a write request or a write command.
    case packet([UInt8], isRequest: Bool)
    /// Something that the user may want to know.
    case note(ESPNote)
    /// The device has the image, and restarts.
    case finish
}

/// What happens on the way.
enum ESPNote: Sendable, Hashable {
    /// The device has kept this many bytes over a lost link.
    case resumed(byteCount: Int)
    /// The image is sent again from its beginning.
    case restarted
    /// Firmware arrived damaged or not at all, and is sent again from this byte.
    case repeated(fromByte: Int)
    /// The device was in the middle of another update, and forgets it.
    case forgotten
}

/// The reason an update can't continue over this link.
enum ESPFailure: Error, Sendable, Hashable {
    /// The device does not accept the start of an update.
    case startRefused
    /// The device has every sector, but does not accept the end of the update.
    case stopRefused
    /// Firmware does not arrive as it was sent, from this byte on.
    case damaged(atByte: Int)
    /// The device goes on with another update, whatever it is told.
    case leftOver
    /// The device takes sectors without looking at their CRC, also a broken one.
    case unchecked
    /// The device did not answer in time.
    case silent
    /// The device answered something that is not in the protocol.
    case notUnderstood(String)
}

/// Counters of an update over all links.
struct ESPCounters: Sendable, Hashable {
    /// The number of packets of firmware.
    var packetCount = 0
    /// The number of those whose sector had been sent before.
    var repeatCount = 0
    /// The number of bytes in those packets.
    var byteCount = 0
}
