import BLEOTACore
import BLEOTASimulation
import Foundation

/// Writes a page about what transfers make of links, with and without response, and its tables:
/// `index.html`, `report.md` and `report.json`.
///
///     BenchReport Benchmarks/Results OUTPUT_FOLDER
///
/// Of the first folder it takes what other programs have left there (``OtherResults``). What it
/// simulates it runs itself, so that the same sources make the same page on every machine.
@main
struct BenchReport {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: BenchReport RESULTS_FOLDER OUTPUT_FOLDER")
            return
        }
        let results = URL(fileURLWithPath: CommandLine.arguments[1])
        let output = URL(fileURLWithPath: CommandLine.arguments[2])
        let runs = await ReportRuns()
        let others = try OtherResults.known.compactMap { try $0.section(in: results) }
        let page = page(runs, others)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        for (name, text) in [
            ("index.html", page.html), ("report.md", page.markdown),
            ("report.json", runs.results.json),
        ] {
            let file = output.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            print(file.path)
        }
    }

    private static func page(_ runs: ReportRuns, _ others: [PageSection]) -> Page {
        let figures = ReportFigures(runs: runs)
        let tables = ReportTables(runs: runs)
        return Page(
            title: "Firmware over Bluetooth LE, with and without response",
            introduction: introduction,
            sections: [
                PageSection(
                    title: "Goodput",
                    figures: [figures.overInterval, figures.overLoss, figures.overWindow]
                ),
                PageSection(
                    title: "With against without response",
                    figures: [figures.overMTU, figures.overIntervalAsBars],
                    tables: [tables.summary]
                ),
                PageSection(
                    title: "One transfer in time",
                    figures: sequences(figures)
                ),
                PageSection(
                    title: "The whole grid",
                    paragraphs: [gridText],
                    tables: tables.grid
                ),
            ] + others
        )
    }

    private static let introduction = [
        """
        Goodput is bytes of the image over the time in which it is sent, from when chunks of it \
        could be sent until all were acknowledged: without the opening, the manifest and the \
        verification; 1 kB is 1,000 bytes. Each plot and each table says where its figures come \
        from: \(Origin.simulated.badge) ones from the real sender and receiver over a modelled \
        radio, in virtual time, where every run is exact and repeatable; \(Origin.measured.badge) \
        ones from a real Bluetooth stack.
        """,
        """
        The modelled radio is encrypted and has the data length extension; nothing limits the \
        packets of a connection event but time. Loss is of frames above the link layer, as in a \
        full queue. A transfer without response is of 512 KiB, one with response of 128 KiB. The \
        ceiling is what whole frames of the ATT_MTU can carry of the image over such a link, less \
        the share that is lost; with response it is that of one request in two connection events.
        """,
        """
        <em>auto</em> finds its window by the rate of delivery; <em>fixed</em> has so many chunks \
        on the way; <em>12, then wait</em> sends 12 and waits until all are acknowledged; \
        <em>12, then 100 ms</em> sends 12 and pauses by the clock, which is the rule of the field.
        """,
    ]

    private static let gridText = """
        More than 100 % is possible where a frame takes two packets, which may go in two events, \
        since the ceiling counts whole frames, and where by chance less is lost than the share \
        says. A link is left out where two packets of 251 bytes do not \
        fit its connection interval. All figures, with the times, the counts of frames and the \
        goodput of the whole transfer, are in <code>report.json</code>.
        """

    private static func sequences(_ figures: ReportFigures) -> [Figure] {
        [
            figures.sequence(
                .withoutResponse(.automatic),
                "Image over time, auto",
                """
                What is lost leaves a gap; an acknowledgement shows it, and the sender repeats \
                that chunk alone. New ones it sends as far as its credit goes.
                """
            ),
            figures.sequence(
                .burst12,
                "Image over time, 12, then wait",
                """
                Each burst waits for the answer to the last one, and most connection events carry \
                a fraction of what they could.
                """
            ),
        ].compactMap { $0 }
    }
}
