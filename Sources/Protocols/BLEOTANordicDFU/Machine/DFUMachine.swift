import BLEOTACore

/// A state machine for the update of one image, without I/O and without a clock. It outlives its
/// links.
protocol DFUMachine: ~Copyable {
    /// The maximum length of a packet in the protocol.
    static var packetByteCountMax: Int { get }
    /// Whether the protocol can continue an interrupted transfer.
    static var canResume: Bool { get }

    /// Handles a new link to the device's bootloader.
    ///
    /// - Parameter packetByteCountMax: the maximum length of a value in a write command.
    mutating func linkUp(packetByteCountMax: Int, at now: Instant)

    /// Handles the end of the link.
    mutating func linkDown(at now: Instant)

    /// Handles a notification from the device's control point.
    mutating func received(_ value: [UInt8], at now: Instant) throws(DFUFailure)

    /// The next action, or `nil` if there is none before ``deadline`` or the next input.
    mutating func next(at now: Instant) -> DFUAction?

    /// When ``expire(at:)`` is due; `nil` if nothing is awaited.
    var deadline: Instant? { get }

    /// Handles the passing of time.
    mutating func expire(at now: Instant) throws(DFUFailure)

    /// The number of bytes of firmware that the device is known to have.
    var deviceByteCount: Int { get }

    /// Counters over all links.
    var counters: DFUCounters { get }

    /// Whether the device has the whole image, and restarts by itself or on the last request.
    var isFinished: Bool { get }

    /// Whether the link was lost before the device answered the last request, so the device may
    /// have booted the image.
    var mayBeFinished: Bool { get }
}

/// An action that a machine asks its driver to perform.
enum DFUAction: Sendable, Hashable {
    /// Write this value to the control point, with a write request.
    case request([UInt8])
    /// Write this value to the packet characteristic, with a write command.
    case packet([UInt8])
    /// Something that the user may want to know.
    case note(DFUNote)
    /// The device has the image, and restarts.
    case finish
}

/// Something that happened during an update.
enum DFUNote: Sendable, Hashable {
    /// The device had this many bytes of the image.
    case resumed(byteCount: Int)
    /// The image is sent again from its beginning.
    case restarted
    /// Firmware was lost on its way to the flash, and is sent again from this byte.
    case repeated(fromByte: Int)
}

/// Counters of an update.
struct DFUCounters: Sendable, Hashable {
    /// The number of packets that carried firmware or an init packet.
    var packetCount = 0
    /// The number of packets whose bytes had been sent before.
    var repeatCount = 0
    /// The number of bytes in all packets.
    var byteCount = 0
    /// How many bytes of firmware the device had before the update; `nil` until that is known.
    var resumedFromByte: Int?
    /// The end of the firmware that has been sent so far, as an offset.
    private(set) var furthestByte = 0

    mutating func noteFirmware(_ range: Range<Int>) {
        packetCount += 1
        byteCount += range.count
        if range.upperBound <= furthestByte { repeatCount += 1 }
        furthestByte = max(furthestByte, range.upperBound)
    }

    mutating func noteInitPacket(byteCount count: Int) {
        packetCount += 1
        byteCount += count
    }

    /// The sum of these counters and those of another image.
    func adding(_ other: DFUCounters) -> DFUCounters {
        var sum = self
        sum.packetCount += other.packetCount
        sum.repeatCount += other.repeatCount
        sum.byteCount += other.byteCount
        if let byteCount = other.resumedFromByte {
            sum.resumedFromByte = (resumedFromByte ?? 0) + byteCount
        }
        return sum
    }
}
