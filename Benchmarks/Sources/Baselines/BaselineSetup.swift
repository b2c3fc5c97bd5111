import BLEOTACore
import BLEOTASimulation

/// What the ends of a modelled protocol know of a run before it begins.
struct BaselineSetup {
    /// The longest value that fits one packet with the data length extension: 251 bytes without
    /// the 4 of L2CAP and the 3 of ATT. What these protocols use, and what bleota uses at an
    /// ATT_MTU of 247.
    private static let valueByteCountLimit = 251 - l2capOverheadByteCount - attOverheadByteCount
    /// A length and a channel.
    private static let l2capOverheadByteCount = 4
    /// ATT's opcode and handle.
    private static let attOverheadByteCount = 3

    let imageByteCount: Int
    /// The longest value to send.
    let valueByteCountMax: Int
    /// From an abort, or the last sign of life, to the restart.
    let restartPause: Microseconds

    init(_ radio: RadioSettings, imageByteCount: Int) {
        self.imageByteCount = imageByteCount
        valueByteCountMax = Self.valueByteCountMax(radio)
        restartPause = radio.connectionInterval * BaselineTransfer.restartIntervalCount
    }

    /// The longest value to send over such a link.
    static func valueByteCountMax(_ radio: RadioSettings) -> Int {
        min(radio.attMTU - attOverheadByteCount, valueByteCountLimit)
    }

    /// The next bytes of the image, as many as there are up to a count.
    func range(from offset: Int, byteCountMax: Int) -> Range<Int> {
        offset..<min(offset + byteCountMax, imageByteCount)
    }
}
