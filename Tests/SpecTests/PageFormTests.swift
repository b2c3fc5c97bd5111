import BLEOTATestSupport
import Foundation
import Testing

/// The form of README.md and of the pages in docs, and what they say of measurements.
@Suite("Pages")
struct PageFormTests {
    private static let lineCountMax = 120
    private static let columnCountMax = 100
    /// One for each task, what is stable, the comparison, and the schema of `--json`. The last two
    /// are for others' update agents and for the fleet: their readers need no other page.
    private static let pageCountMax = 21

    @Test("The README fits two screens")
    func length() throws {
        #expect(try lines(of: "README.md").count <= Self.lineCountMax)
    }

    @Test("Prose is wrapped at 100 columns, where a line can be broken")
    func columns() throws {
        for page in PageBlock.pages {
            var isCode = false
            for (index, line) in try lines(of: page).enumerated() {
                if line.hasPrefix("```") { isCode.toggle() }
                // A table has one line a row; an address can't be broken.
                guard !isCode, !line.hasPrefix("|"), line.count > Self.columnCountMax else {
                    continue
                }
                let isOneWord = !line.drop { " -".contains($0) }.contains(" ")
                #expect(isOneWord, "\(page):\(index + 1) has \(line.count) columns")
            }
        }
    }

    @Test("The index of docs has every page, of which there are few")
    func index() throws {
        let pages = Repository.files(below: "docs", ending: "").map { $0.dropFirst("docs/".count) }
        #expect(pages.count <= Self.pageCountMax)
        let index = try Repository.text(of: "docs/README.md")
        expectNone(
            pages.filter { $0 != "README.md" && !index.contains("(\($0))") }.map(String.init),
            "pages without a link"
        )
    }

    /// LE 1M, 30 ms, an ATT_MTU of 247: below the table, the README says so.
    @Test("The README compares speeds that the table of simulated protocols has")
    func speeds() throws {
        let columns = ["bleota", "Secure DFU, PRN 12", "SMP 8", "ESP sectors", "pw_transfer"]
        let measured = try #require(
            MarkdownTable(
                below: "# Comparison with models of other protocols, simulated",
                in: try Repository.text(of: "Benchmarks/Results/baselines.md")
            )
        )
        let readme = try #require(
            MarkdownTable(
                below: "## Compared with other updaters",
                in: try Repository.text(of: "README.md")
            )
        )
        var speeds: [[Double]] = []
        for (label, loss) in [("kB/s without loss", "0"), ("kB/s with 5 % loss", "5 %")] {
            let shown = try #require(readme.rows.first { $0[0].hasPrefix(label) })
            let row = try #require(
                measured.rows.first { $0.starts(with: ["1M", "30.0 ms", "247", loss]) }
            )
            let rates = columns.map { column in
                row[measured.header.firstIndex(of: column)!].replacing("*", with: "")
            }
            #expect(Array(shown.dropFirst()) == rates)
            speeds.append(rates.compactMap(Double.init))
        }
        // By how much SMP is ahead at an ATT_MTU of 23, as the text below the table says.
        let ratios = measured.rows.filter { $0[2...3] == ["23", "0"] }.flatMap { row in
            let rates = ["bleota", "SMP 3", "SMP 8"].compactMap { column in
                Double(row[measured.header.firstIndex(of: column)!].replacing("*", with: ""))
            }
            return rates.dropFirst().map { $0 / rates[0] }
        }
        #expect(try #require(ratios.max()) < 1.095)
        // What each keeps of its speed, as the text above the table says.
        let kept = zip(speeds[1], speeds[0]).map { ($0 / $1 * 100).rounded() }
        #expect(kept.first == 95 && kept.dropFirst().max() == 69)
    }

    private static let speedsBegin = "<!-- speeds -->\n"
    private static let speedsEnd = "<!-- end -->"

    /// `BLEOTA_UPDATE=1` writes the table.
    @Test("The comparison has the rows of the table of simulated protocols, and of the README")
    func comparison() throws {
        let path = "docs/comparison.md"
        var page = try Repository.text(of: path)
        let begin = try #require(page.range(of: Self.speedsBegin)?.upperBound)
        let end = try #require(page[begin...].range(of: Self.speedsEnd)?.lowerBound)
        let made = try Self.speedTable()
        if ProcessInfo.processInfo.environment["BLEOTA_UPDATE"] != nil {
            page.replaceSubrange(begin..<end, with: made)
            let file = URL(filePath: Repository.path(of: path))
            try page.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(page[begin..<end] == made)
        }
        let readme = try Repository.text(of: "README.md")
        let heading = "## Compared with other updaters"
        let promised = try #require(MarkdownTable(below: heading, in: readme))
        let shown = try #require(MarkdownTable(below: "## What each does", in: page))
        #expect(shown.header == promised.header)
        #expect(shown.rows == promised.rows.filter { !$0[0].hasPrefix("kB/s") })
    }

    /// A row for each protocol, with links of LE 1M and an interval of 30 ms as columns.
    private static func speedTable() throws -> String {
        let results = try Repository.text(of: "Benchmarks/Results/baselines.md")
        let heading = "# Comparison with models of other protocols, simulated"
        let measured = try #require(MarkdownTable(below: heading, in: results))
        let links = [("247", "0"), ("247", "1 %"), ("247", "5 %"), ("23", "0"), ("23", "5 %")]
        var lines = [
            "| | no loss | 1 % | 5 % | ATT_MTU 23, no loss | ATT_MTU 23, 5 % |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for (column, name) in measured.header.enumerated().dropFirst(4) {
            let rates = try links.map { attMTU, loss in
                try #require(
                    measured.rows.first { $0.starts(with: ["1M", "30.0 ms", attMTU, loss]) }
                )[column]
            }
            lines.append("| \(name) | \(rates.joined(separator: " | ")) |")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func lines(of page: String) throws -> [Substring] {
        var text = try Repository.text(of: page)[...]
        while text.last == "\n" { text.removeLast() }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
