/// A protocol of others, as a model of its published algorithm.
///
/// Each is built from the public description of what it puts on the air and of when it waits,
/// repeats and gives up; none is the code of its makers, and none speaks the real bytes.
package enum Baseline: Sendable, Hashable, CaseIterable {
    /// Everything at once, verified at the end.
    case rawStream
    /// 12 packets of 20 bytes, then 100 ms, verified at the end.
    case fieldRule
    /// Nordic Legacy DFU with a receipt every 12 packets.
    case legacyDFU
    /// Nordic Secure DFU with a receipt every 12 packets.
    case secureDFUReceipts
    /// Nordic Secure DFU without receipts.
    case secureDFU
    /// SMP with one request at a time.
    case smp1
    /// SMP with three requests on their way.
    case smp3
    /// SMP with eight requests on their way.
    case smp8
    /// Espressif's OTA with an acknowledgement of each sector.
    case espSectors
    /// Pigweed's pw_transfer.
    case pwTransfer

    /// A few words for the head of a column.
    package var name: String {
        switch self {
        case .rawStream: "raw"
        case .fieldRule: "field rule"
        case .legacyDFU: "Legacy DFU"
        case .secureDFUReceipts: "Secure DFU, PRN 12"
        case .secureDFU: "Secure DFU, PRN 0"
        case .smp1: "SMP 1"
        case .smp3: "SMP 3"
        case .smp8: "SMP 8"
        case .espSectors: "ESP sectors"
        case .pwTransfer: "pw_transfer"
        }
    }

    /// A sentence: that it is a model, and of what.
    package var description: String { "A model, built from public descriptions, of \(algorithm)." }

    private var algorithm: String {
        switch self {
        case .rawStream:
            "a raw stream: the whole image in frames of up to 244 bytes, as fast as the link "
                + "accepts them; the image is verified at the end, and sent again if it is "
                + "incomplete"
        case .fieldRule:
            "the common rule for protocols without acknowledgements: 12 packets of 20 bytes, then "
                + "a pause until 100 ms after the first of them; the image is verified at the end, "
                + "and sent again if it is incomplete"
        case .legacyDFU:
            "Nordic's Legacy DFU: packets of 20 bytes; after every 12 packets that it has "
                + "received, the receiver notifies the sender of the number of bytes received so "
                + "far; if this number is wrong or does not arrive, the transfer aborts"
        case .secureDFUReceipts:
            "Nordic's Secure DFU with packet receipt notifications (PRN 12): objects of 4 KiB, "
                + "each created, sent, compared by checksum and executed; if the checksum differs, "
                + "the object is sent again, up to 3 times; if a notification does not arrive, "
                + "the transfer aborts, and a restart resumes at the object"
        case .secureDFU:
            "Nordic's Secure DFU without packet receipt notifications (PRN 0): objects of 4 KiB, "
                + "each created, sent, compared by checksum and executed; if the checksum differs, "
                + "the object is sent again, up to 3 times; then the transfer aborts, and a "
                + "restart resumes at the object"
        case .smp1: Self.smp(window: 1, timeout: "2.5 s")
        case .smp3: Self.smp(window: 3, timeout: "2.5 s")
        case .smp8: Self.smp(window: 8, timeout: "5 s")
        case .espSectors:
            "Espressif's OTA over BLE: sectors of 4 KiB, each acknowledged when its last frame "
                + "arrives; a sector is sent again if it is refused, or if no answer arrives for "
                + "10 s"
        case .pwTransfer:
            "Pigweed's pw_transfer: the receiver grants a window of up to 48 chunks, which doubles "
                + "until the first loss, then grows by one chunk at a time, and is halved at each "
                + "loss; the sender goes back to the offset that the receiver requests; timeouts "
                + "are 2 s"
        }
    }

    private static func smp(window: Int, timeout: String) -> String {
        "the image upload of SMP, as in MCUmgr, with a window of \(window): each request gets a "
            + "response with the offset that the receiver expects next; the sender goes back to "
            + "this offset after a loss, or after \(timeout) without a response"
    }
}
