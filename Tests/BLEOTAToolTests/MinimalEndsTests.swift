import BLEOTATestSupport
import Glibc
import Testing

/// The smallest ends that the specification allows (section 13), written in Python from its text,
/// against the tool: over both kinds of link, with loss, and once more after a link was lost.
@Suite("Minimal ends", .timeLimit(.minutes(5)))
struct MinimalEndsTests {
    enum Link: CaseIterable {
        case socket
        case serial
    }

    private let place = ToolDirectory()

    /// Starts one of the two programs; what it keeps is in the folder `device`.
    private func minimal(_ name: String, _ arguments: String...) throws -> RunningTool {
        try RunningTool(
            ["-B", Repository.path(of: "spec/minimal/\(name).py")] + arguments,
            in: place,
            program: "/usr/bin/python3"
        )
    }

    /// The addresses of the tool's end and of the other, and a cable where one is needed.
    private func addresses(_ link: Link) -> (tool: String, minimal: String, SerialCable?) {
        guard link == .serial else { return (place.target, place.target, nil) }
        let (near, far) = (place.path("near"), place.path("far"))
        let cable = SerialCable(between: (near, far))
        return ("serial:\(near)", "serial:\(far)", cable)
    }

    private func toolReceiver(at address: String, _ arguments: String...) async throws
        -> RunningTool
    {
        let tool = try RunningTool(
            ["receive", "--listen", address, "--store", place.store, "--allow-unsigned", "--json"]
                + arguments,
            in: place
        )
        try await tool.output { $0["event"] as? String == "listening" }
        return tool
    }

    private func isAwaited(_ link: Link, by minimal: RunningTool) async throws {
        // A serial line needs nobody to listen.
        guard link == .socket else { return }
        try await minimal.wait(for: "its socket") { access(place.socket, F_OK) == 0 }
    }

    @Test(
        "A minimal sender's image is verified, one frame in twenty lost",
        arguments: Link.allCases
    )
    func sender(_ link: Link) async throws {
        let (address, other, cable) = addresses(link)
        let receiver = try await toolReceiver(at: address)
        for (seed, loss) in ["0", "5"].enumerated() {
            let image = place.image(60_000, seed: UInt64(seed))
            let result = try await minimal("sender", "--loss", loss, other, image).end()
            #expect(result.status == 0, "\(result.errors)")
            #expect(place.current == place.bytes("image.bin"))
        }
        try await receiver.interrupt()
        cable?.unplug()
    }

    @Test("A minimal receiver has the image, one frame in twenty lost", arguments: Link.allCases)
    func receiver(_ link: Link) async throws {
        let (address, other, cable) = addresses(link)
        for (seed, loss) in ["0", "5"].enumerated() {
            let image = place.image(60_000, seed: UInt64(seed))
            let device = try minimal("receiver", "--loss", loss, other, place.path("device"))
            try await isAwaited(link, by: device)
            let result = try await place.run("push", image, "--connect", address, "--json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try await device.end().status == 0)
            #expect(place.bytes("device/current") == place.bytes("image.bin"))
            unlink(place.socket)
        }
        cable?.unplug()
    }

    @Test(
        "A minimal receiver that was killed goes on with what is durable",
        arguments: Link.allCases
    )
    func resume(_ link: Link) async throws {
        let (address, other, cable) = addresses(link)
        let image = place.image(400_000)
        let device = try minimal("receiver", other, place.path("device"))
        try await isAwaited(link, by: device)
        let push = try RunningTool(
            ["push", image, "--connect", address, "--json", "--window", "4"],
            in: place
        )
        try await device.wait(for: "blocks") { (place.bytes("device/part")?.count ?? 0) > 40_000 }
        device.send(SIGKILL)
        _ = try await device.end()
        push.send(SIGTERM)
        _ = try await push.end()
        unlink(place.socket)
        let next = try minimal("receiver", other, place.path("device"))
        try await isAwaited(link, by: next)
        let result = try await place.run("push", image, "--connect", address, "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.events.last?.number("resumedFromByte") ?? 0 > 40_000 - 4_096)
        #expect(try await next.end().status == 0)
        #expect(place.bytes("device/current") == place.bytes("image.bin"))
        cable?.unplug()
    }

    @Test("A minimal sender is asked, and a minimal receiver asks", arguments: Link.allCases)
    func pull(_ link: Link) async throws {
        let (address, other, cable) = addresses(link)
        let image = place.image(60_000, name: "log.bin")
        let device = try minimal("sender", "--answer", "log.bin", "--loss", "5", other, image)
        try await isAwaited(link, by: device)
        let output = place.path("pulled.bin")
        let result = try await place.run(
            ["pull", "log.bin", "--connect", address, "--output", output, "--json"]
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await device.end().status == 0)
        #expect(place.bytes("pulled.bin") == place.bytes("log.bin"))
        unlink(place.socket)
        let receiver = try await toolReceiver(at: address, "--offer", image)
        let asking = try minimal(
            "receiver",
            "--request",
            "log.bin",
            "--loss",
            "5",
            other,
            place.path("device")
        )
        #expect(try await asking.end().status == 0, "\(asking.errors)")
        #expect(place.bytes("device/current") == place.bytes("log.bin"))
        try await receiver.interrupt()
        cable?.unplug()
    }

    @Test("Each of the two has at most 250 lines", arguments: ["sender", "receiver"])
    func size(_ name: String) throws {
        let text = try Repository.text(of: "spec/minimal/\(name).py")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 251)
    }
}
