import BLEOTATestSupport
import Glibc
import Testing

/// Transfers as a user makes them, and what is printed about them.
@Suite("Transfers of the tool", .timeLimit(.minutes(2)))
struct ToolTransferTests {
    private let place = ToolDirectory()

    /// The fields of the last line, in their order.
    private static let resultFields = [
        "event", "verified", "protocol", "sha256", "bytes", "encodedBytes", "encoding",
        "dataBytesSent", "resumedFromByte", "seconds", "goodputBytesPerSecond",
        "imageBytesPerSecond",
        "dataFramesSent", "dataFramesResent", "chunkBytes", "attMTU",
        "writeMode",
    ]

    @Test("A push over the loopback lands in the output, and says nothing when nobody watches")
    func loopback() async throws {
        let image = place.image(200_000)
        let result = try await place.run(
            "push",
            image,
            "--loopback",
            "--output",
            place.path("copy")
        )
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors.isEmpty)
        #expect(place.bytes("copy") == place.bytes("image.bin"))
    }

    @Test(
        "The last line of a push has the promised fields and no others",
        arguments: ["with-response", "without-response"]
    )
    func resultOfPush(mode: String) async throws {
        let image = place.image(100_000)
        let result = try await place.run(
            "push",
            image,
            "--loopback",
            "--json",
            "--write-mode",
            mode,
            "--mtu",
            "185",
            "--loss",
            "3%",
            "--seed",
            "5"
        )
        #expect(result.status == 0)
        let last = try #require(result.events.last)
        #expect(keys(of: last) == Self.resultFields)
        #expect(last.name == "result")
        #expect(last.fields["verified"] as? Bool == true)
        #expect(last.number("bytes") == 100_000)
        #expect(last.number("resumedFromByte") == 0)
        #expect(last.number("attMTU") == 185)
        #expect(last.number("chunkBytes") == 176)
        #expect(last.text("writeMode") == mode)
        #expect(last.text("sha256")?.count == 64)
        #expect(last.number("dataFramesSent")! > 569)
        #expect((last.number("dataFramesResent")! > 0) == (mode == "without-response"))
        #expect(result.events.contains { $0.name == "faults" && $0.text("seed") == "5" })
        #expect(result.events.count == result.output.split(separator: "\n").count)
    }

    @Test("A receiver stores what is pushed, one after the other, and offers what it was told to")
    func receiver() async throws {
        let offer = place.image(50_000, seed: 9, name: "log.bin")
        let receiver = try await place.receiver("--offer", offer)
        for seed in 1...3 as ClosedRange<UInt64> {
            let image = place.image(60_000, seed: seed)
            let push = try await place.run("push", image, "--connect", place.target, "--json")
            #expect(push.status == 0)
            #expect(place.current == place.bytes("image.bin"))
            #expect(push.events.last?.number("attMTU") == 247)
        }
        let pull = try await place.run(
            "pull",
            "log.bin",
            "--connect",
            place.target,
            "--output",
            place.path("pulled"),
            "--json"
        )
        #expect(pull.status == 0)
        #expect(place.bytes("pulled") == place.bytes("log.bin"))
        let last = try #require(pull.events.last)
        #expect(keys(of: last) == Self.resultFields)
        #expect(last.number("bytes") == 50_000)

        let large = try await place.run(
            "pull",
            "log.bin",
            "--connect",
            place.target,
            "--output",
            place.path("large"),
            "--max-size",
            "49999"
        )
        #expect(large.status == 65)
        #expect(large.isOneSentence, "\(large.errors)")
        #expect(large.errors.contains("--max-size"), "\(large.errors)")
        #expect(place.bytes("large") == nil)

        let none = try await place.run(
            "pull",
            "other",
            "--connect",
            place.target,
            "--output",
            place.path("other")
        )
        #expect(none.status == 69)
        #expect(none.isOneSentence, "\(none.errors)")
        #expect(place.bytes("other") == nil)

        let result = try await receiver.interrupt()
        #expect(result.status == 130)
        let stored = result.events.filter { $0.name == "stored" }
        #expect(stored.count == 3)
        #expect(keys(of: stored[2]) == ["event", "path", "sha256", "bytes", "peer"])
        #expect(stored[2].number("bytes") == 60_000)
        let path = try #require(stored[2].text("path"))
        #expect(path.hasPrefix(place.store))
        #expect(place.bytes(String(path.dropFirst(place.root.count + 1))) == place.current)
        #expect(access(place.socket, F_OK) != 0)
    }

    @Test("A receiver for one image ends with it, whoever else is connected")
    func once() async throws {
        let receiver = try await place.receiver("--once")
        let other = try await place.run(
            "pull",
            "x",
            "--connect",
            place.target,
            "--output",
            place.path("x"),
            "--timeout",
            "1"
        )
        #expect(other.status != 0)
        let push = try await place.run("push", place.image(10_000), "--connect", place.target)
        #expect(push.status == 0)
        #expect(try await receiver.end().status == 0)
        #expect(place.current == place.bytes("image.bin"))
    }

    @Test("A file in Intel HEX is decoded, and of several regions the largest is sent")
    func hex() async throws {
        let text =
            ":020000040000FA\n:0400000001020304F2\n:020000041000EA\n:01000000AA55\n:00000001FF\n"
        let image = place.write(Array(text.utf8), to: "firmware.hex")
        let largest = try await place.run(
            "push",
            image,
            "--loopback",
            "--output",
            place.path("a"),
            "-v"
        )
        #expect(largest.status == 0)
        #expect(place.bytes("a") == [1, 2, 3, 4])
        #expect(largest.errors.contains("--region 2"))
        let shown = try await place.run("show", image)
        #expect(shown.output.contains("left out      region 2, 1 bytes"), "\(shown.output)")
        let second = try await place.run(
            "push",
            image,
            "--loopback",
            "--output",
            place.path("b"),
            "--region",
            "2"
        )
        #expect(second.status == 0)
        #expect(place.bytes("b") == [0xAA])
        #expect(try await place.run("push", image, "--loopback", "--region", "3").status == 65)
    }

    @Test("Every window goes through")
    func windows() async throws {
        let image = place.image(30_000)
        for window in [
            ["--window", "auto"], ["--window", "8"], ["--burst", "12"], ["--burst", "12:5"],
        ] {
            let result = try await RunningTool(["push", image, "--loopback"] + window, in: place)
                .end()
            #expect(result.status == 0, "\(window)")
        }
    }

    @Test("A trace of a push is decoded line by line")
    func trace() async throws {
        let trace = place.path("trace")
        let push = try await place.run("push", place.image(20_000), "--loopback", "--trace", trace)
        #expect(push.status == 0)
        let decoded = try await place.run("decode", trace)
        #expect(decoded.status == 0)
        let lines = decoded.output.split(separator: "\n")
        #expect(lines.count == (place.bytes("trace") ?? []).filter { $0 == 10 }.count)
        #expect(lines.first?.contains("OPEN") == true)
        #expect(lines.last?.contains("CLOSE") == true)
    }

    @Test("A reader of the progress that leaves doesn't stop the transfer")
    func readerLeaves() async throws {
        let receiver = try await place.receiver()
        let image = place.image(2_000_000)
        let script = """
            '\(RunningTool.path)' push '\(image)' --connect '\(place.target)' --burst 16:4 --json \
            | head -1
            """
        let result = try await RunningTool(["-c", script], in: place, program: "/bin/sh").end()
        #expect(result.status == 0)
        #expect(result.events.count == 1)
        try await receiver.output { $0["event"] as? String == "stored" }
        #expect(place.current == place.bytes("image.bin"))
    }

    /// The keys of a line in their order, which a dictionary has not.
    private func keys(of event: Event) -> [String] {
        let text = event.line.split(separator: "\"", omittingEmptySubsequences: false)
        return text.indices.filter { $0 + 1 < text.count && text[$0 + 1].hasPrefix(":") }
            .map { String(text[$0]) }
    }
}
