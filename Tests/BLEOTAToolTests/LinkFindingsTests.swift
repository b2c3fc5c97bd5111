import BLEOTACore
import BLEOTASimulation
import Synchronization
import Testing

@testable import BLEOTA
@testable import BLEOTATool

/// What the runs over a link amount to. The runs are made up, since here is no Bluetooth.
@Suite("Findings of a benchmark", .timeLimit(.minutes(1)))
struct LinkFindingsTests {
    @Test("Two events for a request give an interval, and that what the link could do")
    func estimate() throws {
        let lines = Self.lines(of: [
            Self.cell(.withoutResponse(.automatic), 185, kilobytes: [60, 61, 59]),
            // 176 bytes in 60.5 ms and more: an event every 30 ms, in steps of 1.25.
            Self.cell(.withResponse, 185, kilobytes: [2.5, 2.9, 2.91]),
        ])
        let text = Self.unwrapped(lines)
        let row = lines.first { $0.hasPrefix("auto ") }?.split(separator: " ")
        #expect(
            row == ["auto", "185", "60.0", "kB/s", "59.0", "kB/s", "61.0", "kB/s", "20.7"]
        )
        #expect(
            text.contains("estimate: a write request took 60.5 ms; if a request and its response")
        )
        #expect(text.contains("the interval is at most 30.2 ms"))
        var radio = RadioSettings()
        radio.isEncrypted = true
        radio.connectionInterval = .milliseconds(30)
        radio.attMTU = 185
        let ceiling = WriteModeGrid.transfer(over: radio, .withoutResponse(.automatic))
            .ceilingBytesPerSecond
        #expect(text.contains("\(Units.rate(ceiling)) without response over LE 2M"))
        #expect(text.contains("auto: 60.0 kB/s at ATT_MTU 185, "))
        #expect(
            text.contains(
                "write without response: 20.7 times as fast (measured); push does by default"
            )
        )
        #expect(
            text.contains(
                "a connection interval of 15 ms: with response 2.0 times as fast (simulated)"
            )
        )
        #expect(text.contains("ATT_MTU 247: auto "))
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test("Requests that are faster than any two events tell no interval")
    func noInterval() {
        let lines = Self.lines(of: [Self.cell(.withResponse, 247, kilobytes: [240 / 14.9])])
        #expect(lines.contains { $0.contains("14.9 ms, less than two connection intervals") })
        #expect(!lines.contains { $0.contains("over LE 2M") })
        #expect(
            lines.contains { $0.hasPrefix("to change   nothing that can be measured from here") }
        )
    }

    @Test("What is faster than the estimate allows is not called a share of it")
    func beyond() {
        let lines = Self.lines(of: [
            Self.cell(.withoutResponse(.automatic), 247, kilobytes: [300]),
            Self.cell(.withResponse, 247, kilobytes: [4]),
        ])
        let text = Self.unwrapped(lines)
        #expect(text.contains("something other than the interval slows the requests down"))
        #expect(!lines.contains { $0.contains("% of the estimate") })
    }

    @Test("Frames that went again are told, from one in a hundred on")
    func resent() {
        let lines = Self.lines(of: [
            Self.cell(.withoutResponse(.automatic), 247, kilobytes: [50], resentPercent: 2),
            Self.cell(.burst12, 247, kilobytes: [40], resentPercent: 0),
        ])
        #expect(
            lines.contains { $0.contains("auto, ATT_MTU 247: 2.0 % of the frames were resent") }
        )
        #expect(!lines.contains { $0.contains("12, then wait, ATT_MTU 247:") })
    }

    @Test("The median of an even number of runs is between the two in the middle")
    func median() {
        let cell = Self.cell(.burst12, 247, kilobytes: [40, 10, 30, 20])
        #expect(cell.median == 25_000 && cell.lowest == 10_000 && cell.highest == 40_000)
        #expect(Self.cell(.burst12, 247, kilobytes: []).median == 0)
    }

    /// With each sentence on one line.
    private static func unwrapped(_ lines: [String]) -> String {
        lines.joined(separator: "\n")
            .replacing("\n" + String(repeating: " ", count: 14), with: " ")
    }

    private static func cell(
        _ mode: WriteMode,
        _ attMTU: Int,
        kilobytes rates: [Double],
        resentPercent: Int = 0
    ) -> BenchCell {
        var cell = BenchCell(mode, attMTU: attMTU)
        for rate in rates {
            cell.add(
                TransferMeasurement(
                    acknowledgedByteCount: Int(rate * 1_000_000),
                    duration: .seconds(1_000),
                    dataFramesSent: 1_000,
                    dataFramesResent: resentPercent * 10,
                    chunkByteCount: attMTU == 185 ? 176 : 240,
                    attMTU: attMTU
                )
            )
        }
        return cell
    }

    /// What is printed of a Bluetooth link.
    private static func lines(of cells: [BenchCell]) -> [String] {
        let lines = Mutex<[String]>([])
        var options = OutputOptions()
        (options.json, options.quiet, options.verbose) = (false, false, false)
        let output = BenchOutput(options, Reporter(options)) { line in
            lines.withLock { $0.append(line) }
        }
        var facts = MachineFacts(link: "kitchen")
        facts.adapter = "hci0"
        LinkFindings(cells, facts, attMTU: 247).tell(output)
        return lines.withLock { $0 }
    }
}
