import BLEOTACore

/// The committed tables for links that only new radios support.
public struct NewRadioSummary: Sendable {
    private let summary: WriteModeSummary

    /// - Parameter results: the results of ``WriteModeGrid/newRadios``.
    public init(_ results: WriteModeResults) { summary = WriteModeSummary(results) }

    /// The tables as Markdown, with an explanation.
    public var markdown: String {
        Self.introduction + rows.joined(separator: "\n") + "\n" + Self.requirementIntroduction
            + summary.requirementTables(over: PHY.allCases, Self.description)
    }

    /// One row for each link.
    var rows: [String] {
        summary.results.transfers
            .filter { $0.writeMode == .withoutResponse(.automatic) && $0.radio.valueLoss == 0 }
            .map { transfer in
                let radio = transfer.radio
                let request = WriteModeGrid.transfer(over: radio, .withResponse)
                return WriteModeSummary.row(
                    [
                        radio.phy.rawValue, radio.intervalWords, radio.frameSpaces.words,
                        "\(radio.packetByteCountMax)", "\(radio.attMTU)",
                        (transfer.ceilingBytesPerSecond / 1_000).inTenths,
                    ] + summary.figures(transfer) + ["\(request.eventCountPerRequest)"]
                )
            }
    }

    private static func description(_ requirement: WriteModeRequirement) -> String {
        switch requirement {
        case .cleanLink:
            "`auto`, of the ceiling: at least 97 %, and 95 % at ATT_MTU 23 and 65"
        case .onePercentLoss, .fivePercentLoss:
            "`auto`, of the ceiling less what is lost: at least 95 %"
        case .burst12: "*12, wait*, compared with W·v/((⌈W/n⌉ + 2·h − 1)·CI): at least 97 %"
        case .withResponse: "compared with v/(e·CI): at least 97 %"
        case .queue, .queueUnderLoss: requirement.description
        }
    }

    private static let introduction = """
        # New radios, simulated

        The same as [write-modes.md](write-modes.md), over links that only new radios support:

        - *interval*: Core 6.2 allows connection intervals from 375 µs, in steps of 125 µs. Before
          Core 6.2, the shortest was 7.5 ms (Bluetooth Core 6.2, volume 6, part B, 4.5.1).
        - *apart*: since Core 6.0 two controllers may agree on less than 150 µs between two packets
          of an event and between two events (4.1.1, 4.1.5, 5.1.30). No controller achieves zero;
          real ones are between the two rows.
        - *coded*: 500 kbit/s with two symbols per bit, and 125 kbit/s with eight. Preamble, access
          address, coding indicator and first terminator always have eight (2.2).
        - *packet*: the greatest length in bytes at which two packets, one from each end, fit into
          an event. A link is left out if not even 27 bytes fit. This is so for an
          interval of 375 µs over 1M, and for the same interval over 2M with 150 µs between packets.

        *Ceiling* and rates are in kB/s of the image. For frames that take several events, the
        ceiling is the average that events carry. *Events* is the number of events that a write
        request and its response take before the next request can be sent. All else is the same:
        real sender and receiver, encrypted links, hosts that answer \
        \(WriteModeSummary.hostMilliseconds) ms
        after a value arrives, and exact, repeatable runs. `make check` generates the tables and
        `new-radios.json`, and compares them with the committed files.
        `BLEOTA_UPDATE=1 swift test --filter NewRadios` writes both.

        | PHY | interval | apart | packet | MTU | ceiling | auto | whole | 1 % loss | 5 % loss \
        | queue | 12, wait | response | ratio | events |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |

        """

    private static let requirementIntroduction = """

        ## Requirements, simulated

        The same figures as over other links, and also over the coded layers. W is 12, v the number
        of image bytes in a frame, n the number of whole frames that fit into an event (if not even
        one fits, ⌈W/n⌉ is the number of events that W frames take), and CI the interval. h is the
        number of events that a host takes to answer: the acknowledgement goes into the h-th event
        after the burst, and the next burst begins in the h-th event after that. If events are
        shorter than the answering time of a host, h is more than 1. e is the number of events in
        the table. The formula with h assumes that every value arrives at the beginning of its
        event, so a burst may take one or two more events. The formula with e assumes that a value
        arrives at the end of its packet, and that the receiver sends no acknowledgement before the
        response. If events are short, such an acknowledgement makes the response too late for the
        next event.

        """
}
