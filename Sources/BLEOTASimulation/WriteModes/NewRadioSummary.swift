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
        case .burst12: "*12, wait*, of W·v/((⌈W/n⌉ + 2·h − 1)·CI): at least 97 %"
        case .withResponse: "of v/(e·CI): at least 97 %"
        case .queue, .queueUnderLoss: requirement.description
        }
    }

    private static let introduction = """
        # New radios, simulated

        The same as [write-modes.md](write-modes.md), over links that only new radios have:

        - *interval*: Core 6.2 has connection intervals from 375 µs in steps of 125 µs, where all
          before were 7.5 ms and longer (Bluetooth Core 6.2, volume 6, part B, 4.5.1).
        - *apart*: since Core 6.0 two controllers may agree on less than 150 µs between two packets
          of an event and between two events (4.1.1, 4.1.5, 5.1.30). None is what no controller has;
          what there is lies between the two rows.
        - *coded*: with two symbols a bit, 500 kbit/s, and with eight, 125 kbit/s. Preamble, access
          address, coding indicator and first terminator have eight in any case (2.2).
        - *packet*: the most bytes that a packet may have for an event to have time for two, one
          from either end. A link is left out where 27 are too many: 375 µs over 1M, and with 150 µs
          between packets over 2M as well.

        *Ceiling* and rates are in kB/s of the image; of frames that take several events, the
        ceiling counts what events carry of them in the long run. *Events* is how many events a
        write request takes, with its response, before the next can go. All else is as it is there:
        both real machines, encrypted links, hosts that answer \
        \(WriteModeSummary.hostMilliseconds) ms
        after a value came, exact and repeatable. `make check` makes the tables anew and compares,
        also `new-radios.json`; `BLEOTA_UPDATE=1 swift test --filter NewRadios` writes both.

        | PHY | interval | apart | packet | MTU | ceiling | auto | whole | 1 % loss | 5 % loss \
        | queue | 12, wait | response | ratio | events |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |

        """

    private static let requirementIntroduction = """

        ## What it has to reach, simulated

        The same figures as over other links, and over the coded layers as well. W is 12, v the
        bytes of image in a frame, n how many whole frames have time in an event (⌈W/n⌉ how many
        events they take, if it is none), CI the interval. Events may be shorter than what a host
        takes to answer: then the answer goes not in the next event but in the h-th, and h more go
        by until the sender goes on; e is the number of events of the table. In h every value
        comes at the beginning of its event, so that a burst may take an event or two more; in e it
        comes when its packet is over, and no account of the receiver goes before the response,
        which makes that too late for the next event where events are short.

        """
}
