import BLEOTATestSupport
import Glibc
import Testing

/// Transfers of the tool over serial lines, which are pseudo-terminals with a cable in between.
@Suite("Serial lines of the tool", .timeLimit(.minutes(3)))
struct SerialTests {
    private let place = ToolDirectory()

    private var near: String { place.path("near") }
    private var far: String { place.path("far") }

    private func receiver(_ arguments: String...) async throws -> RunningTool {
        let tool = try RunningTool(
            ["receive", "--listen", "serial:\(far)", "--store", place.store, "--json"] + arguments,
            in: place
        )
        try await tool.output { $0["event"] as? String == "listening" }
        return tool
    }

    private func push(_ image: String, _ arguments: String...) throws -> RunningTool {
        try RunningTool(
            ["push", image, "--connect", "serial:\(near)", "--json"] + arguments,
            in: place
        )
    }

    /// Slow enough to be disturbed.
    private func slowPush() throws -> RunningTool {
        try push(place.image(1_000_000), "--burst", "8:4")
    }

    private func isUnderWay(_ push: RunningTool) async throws {
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
    }

    @Test("What is pushed arrives whole, image after image, at any MTU and either way of writing")
    func push() async throws {
        let cable = SerialCable(between: (near, far))
        let receiver = try await receiver()
        for (seed, arguments) in [[], ["--mtu", "23"], ["--mtu", "517"]].enumerated() {
            for mode in ["without-response", "with-response"] {
                let image = place.image(50_000, seed: UInt64(seed))
                let result = try await RunningTool(
                    ["push", image, "--connect", "serial:\(near)@921600", "--json"]
                        + ["--write-mode", mode] + arguments,
                    in: place
                ).end()
                #expect(result.status == 0, "\(result.errors)")
                #expect(place.current == place.bytes("image.bin"))
            }
        }
        #expect(try await receiver.interrupt().status == 130)
        cable.unplug()
    }

    @Test("A receiver for one image ends with it, and a file is pulled over the line")
    func onceAndPull() async throws {
        let cable = SerialCable(between: (near, far))
        let once = try await receiver("--once")
        #expect(try await push(place.image(10_000)).end().status == 0)
        #expect(try await once.end().status == 0)
        #expect(place.current == place.bytes("image.bin"))

        let offering = try await receiver("--offer", place.image(30_000, seed: 3, name: "log"))
        let pull = try await place.run(
            ["pull", "log", "--connect", "serial:\(near)", "--output", place.path("copy")]
        )
        #expect(pull.status == 0, "\(pull.errors)")
        #expect(place.bytes("copy") == place.bytes("log"))
        #expect(try await offering.interrupt().status == 130)
        cable.unplug()
    }

    @Test("A line that damages one byte in some thousand costs time, and no byte of the image")
    func damage() async throws {
        let seed = TestSeed.rounds(1, of: "A serial line that damages")[0]
        let cable = SerialCable(between: (near, far), damagedEvery: 500...8_000, seed: seed)
        let receiver = try await receiver()
        let result = try await push(place.image(300_000, seed: seed)).end()
        #expect(result.status == 0, "seed \(seed): \(result.errors)")
        #expect((result.events.last?.number("dataFramesResent") ?? 0) > 0, "seed \(seed)")
        #expect(place.current == place.bytes("image.bin"))
        #expect(try await receiver.interrupt().status == 130)
        cable.unplug()
    }

    @Test("A cable that is pulled out and put back costs no more than what was in flight")
    func unplugged() async throws {
        let cable = SerialCable(between: (near, far))
        let receiver = try await receiver()
        let push = try slowPush()
        try await isUnderWay(push)
        cable.unplug()
        let again = SerialCable(between: (near, far))
        try await push.output { $0["event"] as? String == "reconnected" }
        let result = try await push.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.current == place.bytes("image.bin"))
        // All of it would have been 4,167 frames more.
        let sent = try #require(result.events.last?.number("dataFramesSent"))
        #expect(sent < 4_167 + 1_000)
        #expect(try await receiver.interrupt().status == 130)
        again.unplug()
    }

    @Test("A cable that stays out ends the push with 75; the next one goes on from what is stored")
    func staysUnplugged() async throws {
        let cable = SerialCable(between: (near, far))
        let receiver = try await receiver()
        let push = try push(place.image(1_000_000), "--burst", "8:4", "--timeout", "1")
        try await isUnderWay(push)
        cable.unplug()
        let result = try await push.end()
        #expect(result.status == 75)
        #expect(result.isOneSentence, "\(result.errors)")
        let again = SerialCable(between: (near, far))
        let next = try await slowPush().end()
        #expect(next.status == 0, "\(next.errors)")
        #expect((next.events.last?.number("resumedFromByte") ?? 0) > 0)
        #expect(place.current == place.bytes("image.bin"))
        #expect(try await receiver.interrupt().status == 130)
        again.unplug()
    }

    @Test("A receiver that is killed and started again, and a sender too, go on with the transfer")
    func killed() async throws {
        let cable = SerialCable(between: (near, far))
        let first = try await receiver()
        let push = try slowPush()
        try await isUnderWay(push)
        first.send(SIGKILL)
        _ = try await first.end()
        let second = try await receiver()
        try await second.output { ($0["resumedFromByte"] as? Int ?? 0) > 0 }
        push.send(SIGKILL)
        _ = try await push.end()
        let result = try await slowPush().end()
        #expect(result.status == 0, "\(result.errors)")
        #expect((result.events.last?.number("resumedFromByte") ?? 0) > 0)
        #expect(place.current == place.bytes("image.bin"))
        #expect(try await second.interrupt().status == 130)
        cable.unplug()
    }

    @Test("A line that another process has is busy: 75, and the other is not disturbed")
    func busy() async throws {
        let cable = SerialCable(between: (near, far))
        let receiver = try await receiver()
        let image = place.image(1_000)
        for arguments in [
            ["push", image, "--connect", "serial:\(far)"],
            ["receive", "--listen", "serial:\(far)", "--store", place.path("other")],
        ] {
            let result = try await place.run(arguments)
            #expect(result.status == 75)
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains("Another process is using \(far)"), "\(result.errors)")
        }
        #expect(try await push(image).end().status == 0)
        #expect(try await receiver.interrupt().status == 130)
        cable.unplug()
    }

    @Test("What is no serial line, or not there, is no target, and a socket has no rate")
    func notALine() async throws {
        place.write([1], to: "file")
        // Its socket keeps datagrams apart, as no line does.
        let other = try await place.receiver()
        for (line, status, words) in [
            (place.path("none"), 69, "no device at"), (place.path("file"), 69, "neither"),
            (place.root, 69, "neither"), ("/dev/null", 69, "neither"),
            (place.socket, 69, "unix:PATH"), (place.socket + "@9600", 64, "leave out @9600"),
        ] as [(String, Int32, String)] {
            for arguments in [
                ["push", place.image(100), "--connect", "serial:\(line)"],
                ["pull", "x", "--connect", "serial:\(line)", "--output", place.path("x")],
                ["bench", "--connect", "serial:\(line)", "--yes"],
                ["receive", "--listen", "serial:\(line)", "--store", place.path("other")],
            ] {
                let result = try await place.run(arguments)
                #expect(result.status == status, "\(arguments): \(result.errors)")
                #expect(result.isOneSentence, "\(arguments): \(result.errors)")
                #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
            }
        }
        #expect(place.bytes("file") == [1])
        other.send(SIGTERM)
        _ = try await other.end()
    }
}
