import BLEOTA
import BLEOTATestSupport
import Foundation
import Glibc
import SystemPackage
import Testing

/// `bleota bench` with a link to a receiver: what it measures, and that nothing stays.
@Suite("Bench", .timeLimit(.minutes(2)))
struct BenchTests {
    private let place = ToolDirectory()

    @Test("Runs of each kind take turns, and the middle one counts")
    func runs() async throws {
        let receiver = try await place.receiver()
        let result = try await place.run(
            "bench",
            "--connect",
            place.target,
            "--yes",
            "--seconds",
            "1",
            "--repeats",
            "3",
            "--size",
            "65536",
            "--mtu",
            "185",
            "--mtu",
            "247",
            "--window",
            "32",
            "--json"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty)
        let modes = ["auto", "12, then wait", "with response", "fixed 32"]
        let cells = [185, 247].flatMap { mtu in modes.map { "\($0) \(mtu)" } }
        func name(_ event: Event) -> String {
            "\(event.text("mode") ?? "") \(event.number("attMTU") ?? 0)"
        }
        let events = result.events
        let runs = events.filter { $0.name == "run" }
        #expect(runs.map(name) == cells + cells.reversed() + cells)
        #expect(runs.map { $0.number("number") } == Array(1...24))
        for run in runs {
            let chunkByteCount = run.number("attMTU") == 185 ? 176 : 240
            #expect(run.number("chunkBytes") == chunkByteCount)
            // All but the last block of 65,536 bytes.
            #expect(run.number("bytes") == 61_440 / chunkByteCount * chunkByteCount)
            #expect(run.number("dataFramesSent")! >= 61_440 / chunkByteCount)
        }
        let told = events.filter { $0.name == "cell" }
        #expect(told.map(name) == cells)
        for cell in told {
            let rates = runs.filter { name($0) == name(cell) }
                .compactMap { $0.number("goodputBytesPerSecond") }.sorted()
            #expect(cell.number("lowestBytesPerSecond") == rates[0])
            #expect(cell.number("goodputBytesPerSecond") == rates[1])
            #expect(cell.number("highestBytesPerSecond") == rates[2])
            #expect(cell.number("runs") == 3)
        }
        try await isEmpty(receiver)
    }

    @Test("It says where it was measured: kernel, date, and no adapter where there is none")
    func facts() async throws {
        let receiver = try await place.receiver("--mtu", "100")
        let before = Date.now.addingTimeInterval(-1)
        let result = try await place.run(
            "bench",
            "--connect",
            place.target,
            "--yes",
            "--repeats",
            "1",
            "--size",
            "65536",
            "--json"
        )
        let bench = try #require(result.events.first)
        #expect(bench.name == "bench" && bench.fields["simulated"] as? Bool == false)
        #expect(bench.text("link") == place.target)
        #expect(bench.text("kernel")?.hasPrefix("Linux ") == true)
        let date = try #require(ISO8601DateFormatter().date(from: bench.text("date") ?? ""))
        #expect(date >= before && date <= .now)
        for key in ["adapter", "adapterAddress", "bluez"] { #expect(bench.fields[key] is NSNull) }
        #expect(bench.number("attMTU") == 100)
        // Without a radio there is nothing to estimate.
        #expect(!result.events.contains { $0.name == "estimate" })
        let end = try #require(result.events.last)
        #expect(end.name == "result")
        for key in ["could", "does", "change"] {
            #expect((end.fields[key] as? [String])?.isEmpty == false, "\(key)")
        }
        try await isEmpty(receiver)
    }

    @Test("What is current stays, and so does an unfinished transfer, for which there is room")
    func untouched() async throws {
        let receiver = try await place.receiver()
        let old = place.image(50_000, seed: 1, name: "old.bin")
        #expect(try await place.run("push", old, "--connect", place.target).status == 0)
        let image = place.image(4_000_000, seed: 2)
        let slow = ["push", image, "--connect", place.target, "--json", "--burst", "16:4"]
        let push = try RunningTool(slow, in: place)
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        try await push.interrupt()

        let bench = try await place.run(
            "bench",
            "--connect",
            place.target,
            "--yes",
            "--repeats",
            "1",
            "--size",
            "200000"
        )
        #expect(bench.status == 0, "\(bench.errors)")
        #expect(place.current == place.bytes("old.bin"))
        let again = try await place.run("push", image, "--connect", place.target, "--json")
        #expect(again.events.last!.number("resumedFromByte")! > 0)
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    @Test(
        "SIGINT and SIGTERM: 128 and the signal, and the sent bytes are taken back",
        arguments: [SIGINT, SIGTERM]
    )
    func interrupt(signal: Int32) async throws {
        let receiver = try await place.receiver()
        let bench = try slowBench()
        try await receiver.output { $0["event"] as? String == "progress" }
        bench.send(signal)
        let result = try await bench.end(within: 20)
        #expect(result.status == 128 + signal)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.events.last?.number("exitCode") == Int(128 + signal))
        try await isEmpty(receiver)
    }

    @Test("A link that ends: 75, and what was sent is taken back over another")
    func lostLink() async throws {
        let receiver = try await place.receiver()
        let door = place.path("door")
        let proxy = try CountingProxy(
            listening: FilePath(door),
            forwardingTo: FilePath(place.socket)
        )
        let first = Task { await proxy.run() }
        let bench = try slowBench(to: "unix:\(door)")
        try await receiver.output { $0["event"] as? String == "progress" }
        // The next connection is to the receiver itself, and then the link that it carries ends.
        try FileManager.default.removeItem(atPath: door)
        try FileManager.default.createSymbolicLink(
            atPath: door,
            withDestinationPath: place.socket
        )
        first.cancel()
        let result = try await bench.end(within: 60)
        #expect(result.status == 75, "\(result.errors)")
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("told over a new link to discard"), "\(result.errors)")
        await first.value
        try await isEmpty(receiver)
    }

    @Test("A receiver that is gone: 75, and that it may keep part of the data is said")
    func killed() async throws {
        let receiver = try await place.receiver()
        let bench = try slowBench()
        try await receiver.output { $0["event"] as? String == "progress" }
        receiver.send(SIGKILL)
        let result = try await bench.end(within: 60)
        #expect(result.status == 75, "\(result.errors)")
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("may keep part of the data"), "\(result.errors)")
    }

    @Test("Nobody there is 69")
    func nobody() async throws {
        let result = try await place.run("bench", "--connect", place.target, "--yes")
        #expect(result.status == 69)
        #expect(result.isOneSentence, "\(result.errors)")
    }

    /// It ended at once, unlike a push, so that the two commands of docs/measure.md failed if they
    /// were pasted together.
    @Test("A receiver that has just been started is waited for")
    func starting() async throws {
        let bench = try RunningTool(
            ["bench", "--connect", place.target, "--yes", "--seconds", "1", "--repeats", "1"],
            in: place
        )
        let receiver = try await place.receiver()
        let result = try await bench.end()
        #expect(result.status == 0, "\(result.errors)")
        try await receiver.interrupt()
    }

    @Test("Without --yes nothing is sent, and what would be is said")
    func noConsent() async throws {
        let receiver = try await place.receiver()
        let result = try await place.run("bench", "--connect", place.target)
        #expect(result.status == 64)
        #expect(result.errors.contains("1,048,576 random bytes"), "\(result.errors)")
        #expect(result.errors.contains("add --yes"))
        #expect(receiver.output.split(separator: "\n").count == 1)
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    /// One whose first run takes long.
    private func slowBench(to target: String? = nil) throws -> RunningTool {
        let size = "67108864"
        return try RunningTool(
            [
                "bench", "--connect", target ?? place.target, "--yes", "--seconds", "60", "--size",
                size, "--json", "--mtu", "23",
            ],
            in: place
        )
    }

    /// Ends the receiver, and looks at what its store has: nothing.
    private func isEmpty(_ receiver: RunningTool) async throws {
        receiver.send(SIGTERM)
        _ = try await receiver.end(within: 20)
        #expect(!receiver.output.contains(#""event":"stored""#))
        let kept = FileManager.default.enumerator(atPath: place.store)?.allObjects ?? []
        let names: Set = ["bleota-store", "lock", "images", "incoming"]
        #expect(Set(kept.compactMap { $0 as? String }) == names)
    }
}
