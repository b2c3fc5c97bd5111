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
    package var description: String { "A model, from its public description, of \(algorithm)." }

    private var algorithm: String {
        switch self {
        case .rawStream:
            "a raw stream: the whole image in frames of up to 244 bytes as fast as the link takes "
                + "them, verified at the end, and sent again if it is not whole"
        case .fieldRule:
            "the rule of the field: 12 packets of 20 bytes, then 100 ms from the first of them, no "
                + "acknowledgement, verified at the end, and sent again if it is not whole"
        case .legacyDFU:
            "Nordic's Legacy DFU: packets of 20 bytes, the receiver's notification of how many "
                + "bytes it has after every 12 that it got; a count that differs, or none, aborts"
        case .secureDFUReceipts:
            "Nordic's Secure DFU with receipts (PRN 12): objects of 4 KiB, created, sent, compared "
                + "by checksum and executed; a checksum that differs repeats the object up to 3 "
                + "times; a receipt that does not come aborts, and a restart resumes at the object"
        case .secureDFU:
            "Nordic's Secure DFU without receipts (PRN 0): objects of 4 KiB, created, sent, "
                + "compared by checksum and executed; a checksum that differs repeats the object "
                + "up to 3 times, then aborts, and a restart resumes at the object"
        case .smp1: Self.smp(window: 1, timeout: "2.5 s")
        case .smp3: Self.smp(window: 3, timeout: "2.5 s")
        case .smp8: Self.smp(window: 8, timeout: "5 s")
        case .espSectors:
            "Espressif's OTA over BLE: sectors of 4 KiB, acknowledged one by one when their last "
                + "frame comes; a sector that is refused, or not answered for 10 s, is sent again"
        case .pwTransfer:
            "Pigweed's pw_transfer: the receiver gives a window of up to 48 chunks, doubled until "
                + "the first loss, then grown by one and halved at a loss; the sender goes back to "
                + "the offset it is told; timeouts of 2 s"
        }
    }

    private static func smp(window: Int, timeout: String) -> String {
        "the image upload of SMP, as MCUmgr has it, with a window of \(window): a response to each "
            + "request with the offset wanted next, to which the sender goes back; "
            + "repeated after \(timeout) without a response"
    }
}
