import BLEOTACore

/// The committed tables of throughput over different links, with and without response.
public struct WriteModeSummary: Sendable {
    let results: WriteModeResults

    /// - Parameter results: at least the results of ``WriteModeGrid/committed``.
    public init(_ results: WriteModeResults) { self.results = results }

    /// The tables as Markdown, with an explanation.
    public var markdown: String {
        Self.introduction + modeRows.joined(separator: "\n") + "\n"
            + Self.windowIntroduction + windowRows.joined(separator: "\n") + "\n"
            + requirements
    }

    private static let introduction = """
        # With and without response, simulated

        How an image of 512 KiB moves over a link, in kB/s of the image (1 kB is 1,000 bytes), and
        in percent of what frames of that size can carry over such a link (of which a lost share is
        taken off). Rates and percentages are of the time in which the image is sent: from when
        chunks of it could be sent until all were acknowledged. Opening, manifest and verification
        are not in them, but in *whole*, which is the rate of the whole transfer by `auto` without
        loss, from the first frame to the verified image. With response, the image has 128 KiB.

        Both machines are the real ones; the radio is modelled
        (`Sources/BLEOTASimulation/Radio`), encrypted, with the data length extension, and nothing
        limits the packets of a connection event but time. Every run is exact and repeatable:
        `make test` makes the tables anew, and `write-modes.json`, which has the same transfers
        with more figures, and compares; `BLEOTA_UPDATE=1 swift test --filter WriteModes` writes
        both.

        More than 100 % is possible where a frame takes two packets, which may go in two events,
        since the ceiling counts whole frames, and where by chance less is lost than the share says.
        *Queue* is the most that the sender's host had to send, as a multiple of what two connection
        events carry, at no loss. Loss is of frames, above the link layer. *12, wait* sends 12
        frames and waits until all are acknowledged. *Ratio* is that of `auto` to *response*.

        | PHY | interval | MTU | auto | whole | 1 % loss | 5 % loss | queue | 12, wait | response \
        | ratio |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- \
        | --- |

        """

    private static let windowIntroduction = """

        ## Windows, simulated

        The same at ATT_MTU 247 without loss, for other windows and physical layers. *12, then
        100 ms* is the rule of the field. A link is left out where two packets of 251 bytes do not
        fit its connection interval: coded S2 below 15 ms, coded S8 below 50 ms.

        | PHY | interval | \(WriteMode.compared.map(\.name).joined(separator: " | ")) |
        | --- | --- | \(WriteMode.compared.map { _ in "---" }.joined(separator: " | ")) |

        """

    private var modeRows: [String] {
        var grid = WriteModeGrid()
        grid.phys = [.le1M, .le2M]
        grid.modes = [.withoutResponse(.automatic)]
        grid.valueLosses = [0]
        return grid.transfers.map { transfer in
            let radio = transfer.radio
            let link = [radio.phy.rawValue, radio.intervalWords, "\(radio.attMTU)"]
            return Self.row(link + figures(transfer))
        }
    }

    /// The figures of a link in the committed modes and at the committed losses.
    ///
    /// - Parameter transfer: the transfer with `auto` and without loss.
    func figures(_ transfer: RadioTransfer) -> [String] {
        let lossy = [0.01, 0.05].map { loss in
            var transfer = transfer
            transfer.radio.valueLoss = loss
            return cell(transfer)
        }
        let queue = results[transfer].map {
            Double($0.hostQueueByteCountMax) / Double(transfer.twoEventsByteCount)
        }
        return [
            cell(transfer), whole(transfer), lossy[0], lossy[1], queue?.inTenths ?? "",
            cell(WriteModeGrid.transfer(over: transfer.radio, .burst12)),
            cell(WriteModeGrid.transfer(over: transfer.radio, .withResponse)),
            results.timesWithResponse(transfer)?.inTenths ?? "",
        ]
    }

    private var windowRows: [String] {
        var grid = WriteModeGrid()
        grid.attMTUs = [247]
        grid.modes = [.withoutResponse(.automatic)]
        grid.valueLosses = [0]
        return grid.transfers.map { transfer in
            let cells = WriteMode.compared.map {
                cell(WriteModeGrid.transfer(over: transfer.radio, $0))
            }
            return Self.row([transfer.radio.phy.rawValue, transfer.radio.intervalWords] + cells)
        }
    }

    private func cell(_ transfer: RadioTransfer) -> String {
        guard let rate = results.imageGoodput(transfer),
            let share = results.percentOfCeiling(transfer)
        else { return "never" }
        return "\((rate / 1_000).inTenths) (\(share.inTenths) %)"
    }

    private func whole(_ transfer: RadioTransfer) -> String {
        results.goodput(transfer).map { ($0 / 1_000).inTenths } ?? "never"
    }

    static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}
