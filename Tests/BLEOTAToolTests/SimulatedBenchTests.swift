import BLEOTATestSupport
import Foundation
import Testing

/// `bleota bench --simulated`: the same figures everywhere.
@Suite("Simulated bench", .timeLimit(.minutes(2)))
struct SimulatedBenchTests {
    private let place = ToolDirectory()

    @Test("As events: the link, a cell for each way of writing, what a change gives, the answers")
    func events() async throws {
        let arguments = [
            "bench", "--simulated", "--phy", "1M", "--interval", "50", "--mtu", "65", "--loss",
            "1%", "--window", "100", "--size", "100000", "--json",
        ]
        let result = try await RunningTool(arguments, in: place).end()
        #expect(result.status == 0, "\(result.errors)")
        let events = result.events
        #expect(
            events.first?.line
                == #"{"event":"bench","simulated":true,"phy":"1M","intervalMilliseconds":50.000,"#
                + #""frameSpaceMicroseconds":150,"packetBytesMax":251,"isEncrypted":true,"#
                + #""attMTU":65,"lossPercent":1.000}"#
        )
        let cells = events.filter { $0.name == "cell" }
        #expect(
            cells.map { $0.text("mode") } == [
                "auto", "fixed 12", "fixed 32", "fixed 64", "12, then wait", "12, then 100 ms",
                "with response", "fixed 100",
            ]
        )
        let with = try #require(goodput(cells.first { $0.text("mode") == "with response" }))
        for cell in cells {
            let rate = try #require(goodput(cell))
            let ceiling = try #require(cell.fields["ceilingBytesPerSecond"] as? Double)
            let percent = try #require(cell.fields["percentOfCeiling"] as? Double)
            let times = try #require(cell.fields["timesWithResponse"] as? Double)
            #expect(abs(percent - rate / ceiling * 100) < 0.01)
            #expect(abs(times - rate / with) < 0.01)
            #expect(cell.number("chunkBytes") == 56)
        }
        #expect(
            events.filter { $0.name == "change" }.map { $0.text("change") } == [
                "a connection interval of 30 ms", "a connection interval of 15 ms",
                "a connection interval of 7.5 ms", "ATT_MTU 247", "LE 2M",
            ]
        )
        // None is named that makes what it names slower.
        for change in events where change.name == "change" {
            #expect((change.fields["autoTimes"] as? Double ?? 0) >= 0.95, "\(change)")
        }
        #expect(events.last?.name == "result")
        #expect(events.allSatisfy { $0.fields["simulated"] as? Bool != false })
        #expect(try await RunningTool(arguments, in: place).end().output == result.output)
    }

    /// Only shorter intervals were tried, and LE 1M at 7.5 ms carries a quarter less.
    @Test("A longer interval is named where it is faster, with what it makes slower")
    func longerInterval() async throws {
        let result = try await place.run(
            ["bench", "--simulated", "--phy", "1M", "--interval", "7.5", "--json"]
        )
        let change = try #require(
            result.events.first { $0.text("change") == "a connection interval of 15 ms" }
        )
        #expect(try #require(change.fields["autoTimes"] as? Double) > 1.1)
        let end = try #require(result.events.last?.fields["change"] as? [String])
        #expect(end.contains { $0.contains("of 15 ms: auto") && $0.contains("with response") })
    }

    /// 15 ms hold six packets of 2.5 ms, but no check of 4 bytes in each of them.
    @Test("A link without encryption holds one packet more in an event")
    func unencrypted() async throws {
        let arguments = ["bench", "--simulated", "--phy", "1M", "--interval", "15", "--json"]
        var ceilings: [Double] = []
        for words in [[], ["--unencrypted"]] {
            let events = try await RunningTool(arguments + words, in: place).end().events
            #expect(events.first?.fields["isEncrypted"] as? Bool == words.isEmpty)
            let cell = try #require(events.first { $0.text("mode") == "auto" })
            ceilings.append(try #require(cell.fields["ceilingBytesPerSecond"] as? Double))
        }
        #expect(abs(ceilings[1] / ceilings[0] - 6.0 / 5) < 0.001)
    }

    @Test("Of the best link there is nothing to change")
    func best() async throws {
        let result = try await place.run("bench", "--simulated", "--interval", "7.5", "--json")
        #expect(!result.events.contains { $0.name == "change" })
        let end = try #require(result.events.last)
        #expect(
            end.fields["change"] as? [String]
                == ["nothing: no change that is modeled would make the link 5 % faster"]
        )
    }

    /// 31 bytes and their check take 184 µs over 2M, and two such packets fit 375 with no space. A
    /// request takes 2 ms at either host besides, so six events until each has answered.
    @Test("A link that only new radios have: its packets, its ceilings, and what a request takes")
    func newRadio() async throws {
        let arguments = [
            "bench", "--simulated", "--interval", "0.375", "--frame-space", "0", "--mtu", "23",
            "--size", "65536",
        ]
        let text = try await RunningTool(arguments, in: place).end()
        #expect(text.status == 0, "\(text.errors)")
        let link =
            "simulated   LE 2M, connection interval 0.375 ms, packets of 31 bytes spaced 0 µs, "
            + "ATT_MTU 23, encrypted, no loss\n"
        #expect(text.output.hasPrefix(link))
        #expect(
            text.output.replacing(#/\n +/#, with: " ").contains(
                "one request takes 12 connection events"
            )
        )
        let result = try await RunningTool(arguments + ["--json"], in: place).end()
        let bench = try #require(result.events.first)
        #expect(bench.fields["intervalMilliseconds"] as? Double == 0.375)
        #expect(bench.number("frameSpaceMicroseconds") == 0 && bench.number("packetBytesMax") == 31)
        // 16 bytes of image in a frame, one frame an event; and one in 12 events.
        for (mode, ceiling) in [("auto", 16 / 0.000_375), ("with response", 16 / 0.004_5)] {
            let cell = try #require(result.events.first { $0.text("mode") == mode })
            let told = try #require(cell.fields["ceilingBytesPerSecond"] as? Double)
            #expect(abs(told / ceiling - 1) < 0.001, "\(mode): \(told)")
        }
    }

    @Test("Both coded layers are measured, with packets as long as an event has time for")
    func coded() async throws {
        for (phy, byteCount) in [("coded-s2", 192), ("coded-s8", 41)] {
            let result = try await place.run(
                "bench",
                "--simulated",
                "--phy",
                phy,
                "--interval",
                "7.5",
                "--size",
                "65536",
                "--json"
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.events.first?.number("packetBytesMax") == byteCount)
        }
    }

    @Test("Several ATT_MTUs are measured one after the other")
    func several() async throws {
        let result = try await place.run(
            "bench",
            "--simulated",
            "--mtu",
            "23",
            "--mtu",
            "517",
            "--size",
            "65536",
            "--json"
        )
        let links = result.events.filter { $0.name == "bench" }
        #expect(links.map { $0.number("attMTU") } == [23, 517])
    }

    @Test("What takes more than an hour is said to, and with what it takes less")
    func slow() async throws {
        let result = try await place.run(
            "bench",
            "--simulated",
            "--interval",
            "400",
            "--mtu",
            "23"
        )
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("with response ") && $0.contains("over 1 h") })
        #expect(lines.contains { $0.hasSuffix("not done within an hour; choose a smaller --size") })
    }

    @Test("Quiet is quiet")
    func quiet() async throws {
        let result = try await place.run("bench", "--simulated", "--size", "65536", "--quiet")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    }

    private func goodput(_ cell: Event?) -> Double? {
        cell?.fields["goodputBytesPerSecond"] as? Double
    }
}
