/// The receipts that a device still has to send for packets of one object.
struct Receipts: Hashable, BitwiseCopyable {
    /// The offset of the first packet that the device counts.
    let start: Int
    /// After how many packets a receipt comes; 0 for none.
    let interval: Int
    let packetByteCount: Int
    private var seenCount = 0

    init(from start: Int, interval: Int, packetByteCount: Int) {
        self.start = start
        self.interval = interval
        self.packetByteCount = packetByteCount
    }

    /// The offset that the next receipt reports if nothing is lost; `nil` if the packets up to
    /// `sentOffset` cause no further receipt.
    ///
    /// - Parameter end: where the object ends; its last packet may be shorter.
    func nextOffset(sentOffset: Int, end: Int) -> Int? {
        guard interval > 0 else { return nil }
        let packetCount = (seenCount + 1) * interval
        let full = start + packetCount * packetByteCount
        let isWithShortPacket = full >= end && full - end < packetByteCount
        let offset = isWithShortPacket ? end : full
        return offset <= sentOffset ? offset : nil
    }

    mutating func noteSeen() { seenCount += 1 }
}
