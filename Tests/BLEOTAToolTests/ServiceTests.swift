import BLEOTA
import BLEOTATestSupport
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import BLEOTATool

/// `receive` as a service: what ends it, what it logs, and what its signals do.
@Suite("The receiver as a service", .timeLimit(.minutes(2)))
struct ToolServiceTests {
    private let place = ToolDirectory()

    private func push(_ image: String, _ arguments: String...) async throws -> ToolResult {
        try await place.run(["push", image, "--connect", place.target] + arguments)
    }

    @Test("A receiver that runs out of descriptors serves on, and an idle link costs it one")
    func descriptors() async throws {
        let command = """
            ulimit -n 64; exec '\(RunningTool.path)' receive --listen '\(place.target)' \
            --store '\(place.store)' --json
            """
        let receiver = try RunningTool(["-c", command], in: place, program: "/bin/sh")
        try await receiver.output { $0["event"] as? String == "listening" }
        // What the runtime opens with the first link and the first image stays.
        #expect(try await push(place.image(10_000)).status == 0)
        try await receiver.wait(for: "the link to end") {
            receiver.output.contains(#""event":"stored""#)
        }
        let (descriptors, threads) = (entries("fd", of: receiver), entries("task", of: receiver))
        var links: [SocketTransport] = []
        for _ in 0..<10 { links.append(try await .connect(path: FilePath(place.socket))) }
        #expect(entries("fd", of: receiver) <= descriptors + 10)
        #expect(entries("task", of: receiver) <= threads + 4)
        for _ in 0..<100 { links.append(try await .connect(path: FilePath(place.socket))) }
        let result = try await push(place.image(20_000))
        #expect(result.status == 0, "\(result.errors)")
        for link in links { link.close(.local) }
        try await receiver.wait(for: "the links to end") {
            entries("fd", of: receiver) <= descriptors
        }
        receiver.send(SIGTERM)
        #expect(try await receiver.end(within: 20).status == 0)
    }

    @Test("With too few descriptors it says so, and so does any other command")
    func fewDescriptors() async throws {
        let receive = "receive --listen '\(place.target)' --store '\(place.store)'"
        let push = "push '\(place.image(5_000))' --loopback"
        for (count, arguments) in [(63, receive), (15, push), (5, push)] {
            let command = "ulimit -n \(count); exec '\(RunningTool.path)' \(arguments)"
            let tool = try RunningTool(["-c", command], in: place, program: "/bin/sh")
            let result = try await tool.end()
            #expect(result.status == 74, "\(count): \(result.errors)")
            #expect(result.errors.contains("may open only \(count) files, but needs "))
        }
    }

    @Test("Peers that come without end fill no log, and a new image has its lines")
    func floodedLog() async throws {
        let receiver = try RunningTool(
            ["receive", "--listen", place.target, "--store", place.store],
            in: place
        )
        try await receiver.wait(for: "the socket") { access(place.socket, F_OK) == 0 }
        let image = place.image(5_000)
        #expect(try await push(image).status == 0)
        let old = try Firmware(FirmwareFile(contentsOf: FilePath(image)))
        for _ in 0..<LogAllowance.lineCountMax + 100 {
            let link = try await SocketTransport.connect(path: FilePath(place.socket))
            _ = try await BLEOTA.push(old, over: link)
        }
        #expect(try await push(place.image(6_000, name: "new.bin")).status == 0)
        receiver.send(SIGTERM)
        let log = try await receiver.end(within: 20).errors
        let lines = log.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("verified ") } >= LogAllowance.lineCountMax / 2)
        #expect(lines.count { $0.hasPrefix("verified ") } < LogAllowance.lineCountMax + 60)
        #expect(log.contains("\nleft out "), "\(log)")
        #expect(log.contains("verified      new.bin, 6,000 bytes"), "\(log)")
    }

    private func entries(_ name: String, of tool: RunningTool) -> Int {
        let path = "/proc/\(tool.processID)/\(name)"
        return (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }

    @Test("Away from a terminal it logs a line for each event, and with --quiet none")
    func log() async throws {
        let image = place.image(20_000)
        for isQuiet in [false, true] {
            let arguments = ["receive", "--listen", place.target, "--store", place.store]
            let receiver = try RunningTool(arguments + (isQuiet ? ["--quiet"] : []), in: place)
            try await receiver.wait(for: "the socket") { access(place.socket, F_OK) == 0 }
            #expect(try await push(image).status == 0)
            #expect(try await push(image).status == 0)
            let tooLarge = place.image(30_000, name: "other.bin")
            let slow = try RunningTool(
                ["push", tooLarge, "--connect", place.target, "--json", "--burst", "1:50"],
                in: place
            )
            try await slow.output { $0["event"] as? String == "progress" }
            try await slow.interrupt()
            if !isQuiet { try await receiver.errors(contain: "\nended ") }
            receiver.send(SIGTERM)
            let result = try await receiver.end(within: 20)
            #expect(result.status == 0 && result.output.isEmpty)
            if isQuiet {
                #expect(result.errors.isEmpty, "\(result.errors)")
                continue
            }
            let words = result.errors.split(separator: "\n").map { $0.prefix { $0 != " " } }
            #expect(
                words == [
                    "listening", "receiving", "verified", "verified", "receiving", "ended",
                    "stopping",
                ],
                "\(result.errors)"
            )
            #expect(result.errors.contains("image.bin, 20,000 bytes, from process "))
            #expect(result.errors.contains("already at \(place.store)/current/image"))
            #expect(!result.errors.contains("same command"))
        }
    }

    @Test("An installer that ignores SIGTERM holds a stopping receiver for seconds only")
    func stubbornInstaller() async throws {
        let script = place.write(
            Array("#!/bin/sh\ntrap '' TERM\ntouch '\(place.path("began"))'\nsleep 600\n".utf8),
            to: "install"
        )
        chmod(script, 0o755)
        let receiver = try await place.receiver("--", script)
        #expect(try await push(place.image(5_000)).status == 0)
        try await receiver.wait(for: "the installer") { access(place.path("began"), F_OK) == 0 }
        receiver.send(SIGTERM)
        #expect(try await receiver.end(within: 30).status == 0)
        // It is begun again by the next receiver.
        unlink(place.path("began"))
        place.write(Array("#!/bin/sh\ntouch '\(place.path("again"))'\n".utf8), to: "install")
        chmod(script, 0o755)
        let next = try await place.receiver("--", script)
        try await next.wait(for: "the installer") { access(place.path("again"), F_OK) == 0 }
        try await next.interrupt()
    }

    @Test("A push that meets a receiver in its restart waits for it")
    func restart() async throws {
        let push = try RunningTool(
            ["push", place.image(20_000), "--connect", place.target, "--timeout", "60", "-v"],
            in: place
        )
        try await push.errors(contain: "No process is listening")
        let receiver = try await place.receiver()
        #expect(try await push.end().status == 0)
        try await receiver.interrupt()
    }

    /// It ended with "Another process is using the store", and no receiver was left.
    @Test("A receiver that starts while the one before it ends waits for the store")
    func replacement() async throws {
        let first = try await place.receiver()
        first.send(SIGSTOP)
        let terminal = try PseudoTerminal()
        let second = try RunningTool(
            ["receive", "--listen", "unix:\(place.path("second.socket"))", "--store", place.store],
            in: place,
            terminal: terminal.user
        )
        try await second.wait(for: "a word about the wait") {
            terminal.text.contains("waiting for another process to leave the store")
        }
        first.send(SIGTERM)
        first.send(SIGCONT)
        try await second.wait(for: "the second receiver") { terminal.text.contains("listening") }
        #expect(try await first.end().status == 0)
        try await second.interrupt()
    }

    @Test("A sender that is stopped for longer than its limits goes on when it wakes")
    func stoppedSender() async throws {
        let receiver = try await place.receiver()
        let push = try RunningTool(
            [
                "push", place.image(1_000_000), "--connect", place.target, "--json", "--burst",
                "16:4", "--timeout", "2",
            ],
            in: place
        )
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        push.send(SIGTSTP)
        // Longer than a gap of the clock, and than all limits of this push.
        try await Task.sleep(for: .seconds(4))
        push.send(SIGCONT)
        let result = try await push.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.current == place.bytes("image.bin"))
        try await receiver.interrupt()
    }
}
