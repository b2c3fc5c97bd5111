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

        The rate of a transfer of 512 KiB in kB/s of the image (1 kB is 1,000 bytes), and as a
        percentage of the ceiling. The ceiling is what frames for the ATT_MTU can carry over the
        link, minus the share that is lost. Rates and percentages cover the time in which the image
        is sent, from the moment when its first chunk could be sent until all chunks are
        acknowledged. *Whole* is the rate of the whole transfer by `auto` without loss, including
        opening, manifest and verification. With response, the image is 128 KiB long.

        Sender and receiver are the real ones. The radio is modeled
        (`Sources/BLEOTASimulation/Radio`): the link is encrypted and uses the data length
        extension, and only time limits the packets of a connection event. Every run is exact and
        repeatable. `make test` generates these tables and `write-modes.json`, which has more
        figures for the same transfers, and compares them with the committed files.
        `BLEOTA_UPDATE=1 swift test --filter WriteModes` writes both.

        A share of the ceiling can be above 100 % for two reasons. The ceiling counts only the
        frames that fit whole into an event, but a frame of two packets may be divided between two
        events. And with loss, fewer frames may be lost by chance than the given share.
        *Queue* says how much waited in the sender's host at most, without loss: 1.0 is what two
        connection events carry. A longer queue costs no rate. It delays answers, and is sent in
        vain if the link breaks. Loss affects write commands and notifications, above the link
        layer.
        *12, wait* sends 12 frames and waits until all are acknowledged. *Ratio* is the rate of
        `auto` divided by that of *response*.

        | PHY | interval | MTU | auto | whole | 1 % loss | 5 % loss | queue | 12, wait | response \
        | ratio |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- \
        | --- |

        """

    private static let windowIntroduction = """

        ## Windows, simulated

        The same at ATT_MTU 247 without loss, for other windows and physical layers. *12, then
        100 ms* is common practice. Links are left out if two packets of 251 bytes do not fit into
        their connection interval: coded S2 below 15 ms, coded S8 below 50 ms.

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

    /// The figures of a link in the committed modes and at the committed loss rates.
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
