import BLEOTATestSupport
import Glibc
import Testing

/// `bleota simulate`, as a user runs it.
@Suite("Simulate", .timeLimit(.minutes(2)))
struct SimulateTests {
    private let place = ToolDirectory()

    @Test("A range of seeds passes, and says how many transfers there were and how they ended")
    func range() async throws {
        let result = try await place.run("simulate", "--seeds", "150", "--from", "1000")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "seeds             1000 to 1149")
        #expect(lines.contains { $0.hasPrefix("verified ") && $0.hasSuffix(" of 150 transfers") })
        #expect(lines.contains("broke a rule      none"))
        #expect(lines.contains { $0.hasPrefix("simulated ") && $0.contains(" frames, ") })
        #expect(lines.last?.hasPrefix("took ") == true)
    }

    @Test("As events it is one for each transfer, in the order of the seeds, and the same twice")
    func events() async throws {
        let result = try await place.run("simulate", "--seeds", "150", "--json")
        #expect(result.status == 0)
        let events = result.events
        #expect(
            events.first?.line == #"{"event":"seeds","first":"0","last":"149","transfers":150}"#
        )
        let transfers = events.filter { $0.name == "transfer" }
        #expect(transfers.map { $0.text("seed") } == (0..<150).map { "\($0)" })
        #expect(transfers.allSatisfy { $0.text("violation") == nil })
        let end = try #require(events.last)
        #expect(end.name == "result")
        #expect(end.number("transfers") == 150)
        #expect(
            end.number("verified") == transfers.count { $0.fields["verified"] as? Bool == true }
        )
        #expect(end.number("verified")! + end.number("ended")! == 150)
        #expect(end.number("frames") == transfers.compactMap { $0.number("frames") }.reduce(0, +))
        let again = try await place.run("simulate", "--seeds", "150", "--json")
        // The last one has the time that it took.
        #expect(again.events.dropLast().map(\.line) == events.dropLast().map(\.line))
    }

    @Test(
        "A seed says what it draws, and gives the same run to the last byte",
        arguments: [42, 77]
    )
    func replay(seed: Int) async throws {
        let trace = place.path("first.trace")
        let first = try await place.run("simulate", "--seed", "\(seed)", "--trace", trace)
        #expect(first.status == 0)
        let names = first.output.split(separator: "\n").map { $0.prefix(18) }
            .map { $0.reversed().drop { $0 == " " }.reversed() }.map { String($0) }
        #expect(
            names == [
                "seed", "image", "begun by", "sender", "receiver", "sender control", "sender data",
                "receiver control", "store", "driver", "interruptions", "faults end", "ended",
                "trace hash",
            ]
        )
        let second = try await place.run(
            "simulate",
            "--seed",
            "\(seed)",
            "--trace",
            place.path("second.trace")
        )
        #expect(first.output == second.output)
        let bytes = try #require(place.bytes("first.trace"))
        #expect(bytes == place.bytes("second.trace"))
    }

    @Test("decode reads the trace: of a link without damage it understands each frame")
    func trace() async throws {
        let trace = place.path("run.trace")
        let run = try await place.run("simulate", "--seed", "\(Self.cleanSeed)", "--trace", trace)
        #expect(run.output.contains("loss") && run.output.contains("duplication"))
        #expect(!run.output.contains("corruption") && !run.output.contains("truncation"))
        let decoded = try await place.run("decode", trace)
        #expect(decoded.status == 0, "\(decoded.errors)")
        let lines = decoded.output.split(separator: "\n")
        #expect(lines.first?.contains("→ OPEN session 0x") == true)
        #expect(lines.contains { $0.contains("→ DATA image epoch ") })
        #expect(lines.contains { $0.contains("← ACK image epoch ") })
        #expect(lines.contains { $0.contains("← RESULT verified") })
    }

    /// A world in which frames are lost and doubled, and none is damaged.
    private static let cleanSeed = 65

    @Test("Of a link that damages frames too, decode reads the trace to its end")
    func damagedTrace() async throws {
        for seed in 0..<20 {
            let trace = place.path("\(seed).trace")
            _ = try await place.run("simulate", "--seed", "\(seed)", "--trace", trace)
            let decoded = try await place.run("decode", trace)
            // What is damaged is told as such, line by line.
            #expect(decoded.status == 0 || decoded.status == 65, "seed \(seed)")
            #expect(!decoded.errors.contains("line"), "seed \(seed): \(decoded.errors)")
        }
    }

    @Test("A trace that can't be written is one sentence and 73")
    func noTrace() async throws {
        let path = place.path("nowhere/run.trace")
        let result = try await place.run("simulate", "--seed", "1", "--trace", path)
        #expect(result.status == 73)
        #expect(result.isOneSentence, "\(result.errors)")
    }

    @Test("SIGINT, SIGTERM: 128 and the signal, and the runs so far", arguments: [SIGINT, SIGTERM])
    func interrupt(signal: Int32) async throws {
        let tool = try RunningTool(["simulate", "--seeds", "100000000", "--json"], in: place)
        try await tool.output { $0["event"] as? String == "transfer" }
        tool.send(signal)
        let result = try await tool.end(within: 20)
        #expect(result.status == 128 + signal)
        #expect(result.isOneSentence, "\(result.errors)")
        let count = result.events.count { $0.name == "transfer" }
        let end = try #require(result.events.first { $0.name == "result" })
        #expect(end.number("transfers") == count)
        #expect(result.events.last?.number("exitCode") == Int(128 + signal))
        #expect(
            result.errors.contains("--seeds \(100_000_000 - count) --from \(count)."),
            "\(result.errors)"
        )
    }

    @Test("Quiet is quiet")
    func quiet() async throws {
        let result = try await place.run("simulate", "--seeds", "10", "--quiet")
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.errors.isEmpty)
    }
}
