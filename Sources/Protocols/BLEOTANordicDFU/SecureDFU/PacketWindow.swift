/// How many packets may be in flight to the flash of the device, and after how many the device
/// sends a receipt.
///
/// A receipt comes after half the window, so the next half is in flight when the device has written
/// the first. The window begins with 12 packets, the number after which Nordic's own apps wait. It
/// doubles after every four objects that arrive undamaged. A loss halves it, and for the next 32
/// objects it does not grow.
struct PacketWindow: Hashable, BitwiseCopyable {
    static let packetCountFirst = 12
    static let packetCountMax = 96
    private static let packetCountMin = 2
    private static let objectsPerRise = 4
    private static let objectsPerCeilingRise = 32

    private(set) var packetCount = PacketWindow.packetCountFirst
    private var ceiling = PacketWindow.packetCountMax
    /// The number of objects that have arrived undamaged since the last change.
    private var objectCount = 0

    /// After how many packets the device sends a receipt.
    var receiptInterval: Int { packetCount / 2 }

    /// Records that an object has arrived undamaged.
    mutating func objectArrived() {
        objectCount += 1
        if packetCount < ceiling, objectCount >= Self.objectsPerRise {
            packetCount = min(packetCount * 2, ceiling)
            objectCount = 0
        } else if ceiling < Self.packetCountMax, objectCount >= Self.objectsPerCeilingRise {
            ceiling = min(ceiling * 2, Self.packetCountMax)
            objectCount = 0
        }
    }

    /// Records that packets were lost.
    mutating func lost() {
        packetCount = max(packetCount / 2, Self.packetCountMin)
        ceiling = packetCount
        objectCount = 0
    }
}
