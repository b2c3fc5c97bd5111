import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// No command replaces what it should not, and none succeeds without its output.
@Suite("Outputs", .timeLimit(.minutes(2)))
struct OutputTests {
    private let place = ToolDirectory()

    // MARK: - What is never replaced

    @Test("A bundle replaces no key, no special file and no directory, under whatever name")
    func signOver() async throws {
        try await place.generateKey()
        let image = place.image(2_000)
        let key = place.path("release.pem")
        link(key, place.path("same-key"))
        symlink(key, place.path("link-to-key"))
        mkdir(place.path("folder"), 0o755)
        let names = ["release.pem", "folder/../release.pem", "same-key", "link-to-key", "folder"]
        for name in names + specialFiles() {
            for force in [[], ["--force"]] {
                let before = state(of: name)
                let result = try await sign(image, to: name, force)
                #expect(result.status == 73, "\(name): \(result.errors)")
                #expect(result.isOneSentence, "\(name): \(result.errors)")
                #expect(state(of: name) == before, "\(name)")
            }
        }
        #expect(try await place.run("key", "show", key).status == 0)
    }

    /// A private key can't be had again. Before this rule, `--force` replaced it.
    @Test("No output replaces a key that the command doesn't read, even with --force")
    func otherKeys() async throws {
        try await place.generateKey()
        let image = place.image(2_000)
        let other = place.path("other.pem")
        #expect(try await place.run("key", "generate", other).status == 0)
        let key = try #require(place.bytes("other.pem"))
        place.write(Array("Key of the lamps\r\n\r\n".utf8) + key, to: "commented.pem")
        let labels = ["EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"]
        for label in labels {
            place.write(Array("-----BEGIN \(label)-----\nMAo=\n".utf8), to: "\(label).pem")
        }
        let names = ["other.pem", "other.pem.pub", "commented.pem"] + labels.map { "\($0).pem" }
        for name in names {
            let before = state(of: name)
            for arguments in [
                ["sign", image, "--key", place.path("release.pem"), "--output"],
                ["push", image, "--loopback", "--output"],
                ["push", image, "--loopback", "--trace"],
            ] {
                for force in [[], ["--force"]] {
                    let result = try await place.run(arguments + [place.path(name)] + force)
                    #expect(result.status == 73 && result.isOneSentence, "\(result.errors)")
                    #expect(result.errors.contains("is a key"), "\(result.errors)")
                    #expect(!result.errors.contains("--force"), "\(result.errors)")
                    #expect(state(of: name) == before, "\(name)")
                }
            }
        }
    }

    @Test("A bundle replaces a bundle, another file only with --force, and its own input never")
    func signAgain() async throws {
        try await place.generateKey()
        let image = place.image(2_000)
        place.write(Array("a letter".utf8), to: "letter")
        symlink(image, place.path("link-to-image"))
        for (name, force) in [
            ("image.bin", []), ("image.bin", ["--force"]), ("link-to-image", ["--force"]),
            ("letter", []),
        ] {
            let before = state(of: name)
            let refused = try await sign(image, to: name, force)
            #expect(refused.status == 73 && refused.isOneSentence, "\(name): \(refused.errors)")
            #expect(refused.errors.contains("--force") == (name == "letter"), "\(refused.errors)")
            #expect(state(of: name) == before, "\(name)")
        }
        symlink("nowhere", place.path("link-to-nowhere"))
        let nowhere = try await sign(image, to: "link-to-nowhere")
        #expect(nowhere.status == 73 && nowhere.isOneSentence, "\(nowhere.errors)")
        #expect(try await sign(image, to: "link-to-nowhere", ["--force"]).status == 0)
        #expect(try await sign(image, to: "letter", ["--force"]).status == 0)
        #expect(try await sign(image, to: "letter").status == 0)
        #expect(try await sign(place.path("letter"), to: "letter").status == 73)
        #expect(try await sign(place.path("letter"), to: "letter", ["--force"]).status == 73)
        #expect(place.bytes("letter")?.starts(with: "BLB1".utf8) == true)
        place.write([], to: "empty")
        #expect(try await sign(image, to: "empty").status == 0)
        // What only begins as a bundle does is none.
        place.write(Array("BLB1 are the first bytes of a bundle".utf8), to: "notes")
        #expect(try await sign(image, to: "notes").status == 73)
        #expect(place.bytes("notes")?.count == 36)
    }

    @Test("A trace replaces a trace, and nothing else without --force")
    func traces() async throws {
        let image = place.image(2_000)
        let receiver = try await place.receiver("--offer", image)
        place.write(Array("a letter".utf8), to: "letter")
        link(image, place.path("same-image"))
        let pull = [
            "pull", "image.bin", "--connect", place.target, "--output", place.path("copy"),
        ]
        let receive = [
            "receive", "--listen", "unix:\(place.path("s2"))", "--store", place.path("store2"),
        ]
        for name in ["image.bin", "same-image", "letter"] + specialFiles() {
            for command in [
                ["push", image, "--loopback"], ["push", image, "--connect", place.target], pull,
                receive + ["--offer", image], ["simulate", "--seed", "3"],
            ] {
                let before = state(of: name)
                let tool = try RunningTool(command + ["--trace", place.path(name)], in: place)
                let result = try await tool.end(within: 20)
                #expect(result.status == 73, "\(command) \(name): \(result.errors)")
                #expect(result.isOneSentence, "\(command) \(name): \(result.errors)")
                #expect(state(of: name) == before, "\(command) \(name)")
            }
        }
        let push = ["push", image, "--loopback", "--trace", place.path("letter")]
        #expect(try await place.run(push + ["--force"]).status == 0)
        #expect(try await place.run("decode", place.path("letter")).status == 0)
        #expect(try await place.run(push).status == 0)
        let simulation = ["simulate", "--seed", "3", "--trace", place.path("letter")]
        for _ in 0..<2 { #expect(try await place.run(simulation).status == 0) }
        try await receiver.interrupt()
    }

    @Test("A command that fails before it has a link leaves an older trace as it was")
    func traceOfNothing() async throws {
        let image = place.image(2_000)
        let trace = place.path("trace")
        #expect(try await place.run("push", image, "--loopback", "--trace", trace).status == 0)
        let before = state(of: "trace")
        place.write([1], to: "other")
        let listen = "unix:\(place.path("s2"))"
        for (command, status) in [
            (["push", place.path("nothing"), "--loopback"], 74),
            (["push", image, "--loopback", "--output", trace], 73),
            (["push", image, "--loopback", "--output", place.path("other")], 73),
            (["push", image, "--connect", "unix:\(place.path("nobody"))", "--timeout", "1"], 69),
            (["receive", "--listen", listen, "--store", place.path("other")], 73),
        ] {
            let result = try await place.run(command + ["--trace", trace])
            #expect(result.status == Int32(status), "\(command): \(result.errors)")
            #expect(state(of: "trace") == before, "\(command)")
        }
    }

    @Test("A new key replaces nothing, and its files have their modes under any umask")
    func keys() async throws {
        place.write([1], to: "there.pub")
        for name in ["there.pub"] + specialFiles() {
            let before = state(of: name)
            let result = try await place.run("key", "generate", place.path(name))
            #expect(result.status == 73 && result.isOneSentence, "\(name): \(result.errors)")
            #expect(state(of: name) == before)
        }
        #expect(try await place.run("key", "generate", place.path("there")).status == 73)
        #expect(place.bytes("there") == nil)
        for umask in ["777", "000"] {
            let key = place.path("key-\(umask)")
            let command = "umask \(umask); '\(RunningTool.path)' key generate '\(key)'"
            let result = try await shell(command)
            #expect(result.status == 0, "\(result.errors)")
            #expect(mode(of: "key-\(umask)") == 0o600)
            #expect(mode(of: "key-\(umask).pub") == 0o644)
        }
    }

    // MARK: - Received images

    @Test("A received file replaces another one only with --force, before it is sent")
    func pullOver() async throws {
        let offer = place.image(300_000)
        let receiver = try await place.receiver("--offer", offer)
        place.write([1, 2, 3], to: "copy")
        let pull = [
            "pull", "image.bin", "--connect", place.target, "--output", place.path("copy"),
            "--json",
        ]
        let refused = try await place.run(pull)
        #expect(refused.status == 73, "\(refused.errors)")
        #expect(refused.errors.contains("--force"), "\(refused.errors)")
        #expect(!refused.events.contains { ($0.number("bytes") ?? 0) > 0 })
        #expect(place.bytes("copy") == [1, 2, 3])
        #expect(try await place.run(pull + ["--force"]).status == 0)
        #expect(place.bytes("copy") == place.bytes("image.bin"))
        // What is there already is not sent again, and is no loss.
        let again = try await place.run(pull)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.events.last?.number("dataBytesSent") == 0)
        try await receiver.interrupt()
    }

    @Test("A push over the loopback sends all of it each time, and keeps a file that is another")
    func loopbackAgain() async throws {
        let image = place.image(100_000)
        place.write([1, 2, 3], to: "copy")
        let push = ["push", image, "--loopback", "--output", place.path("copy"), "--json"]
        let refused = try await place.run(push)
        #expect(refused.status == 73 && refused.isOneSentence, "\(refused.errors)")
        #expect(place.bytes("copy") == [1, 2, 3])
        #expect(try await place.run(push + ["--force"]).status == 0)
        for _ in 0..<2 {
            let again = try await place.run(push + ["--loss", "5%", "--seed", "7"])
            #expect(again.status == 0, "\(again.errors)")
            #expect((again.events.last?.number("dataFramesSent") ?? 0) > 400)
            #expect(again.events.last?.number("resumedFromByte") == 0)
        }
        #expect(place.bytes("copy") == place.bytes("image.bin"))
        let same = ["push", image, "--loopback", "--output", image]
        #expect(try await place.run(same).status == 73)
        let twice = place.path("both")
        let both = ["push", image, "--loopback", "--output", twice, "--trace", twice]
        #expect(try await place.run(both).status == 73)
    }

    // MARK: - What can't be written

    @Test("A trace that can't be written to its end is told at the end, with 74")
    func traceLost() async throws {
        let push = "'\(RunningTool.path)' push '\(place.image(200_000))' --loopback"
        let trace = "--trace '\(place.path("trace"))' --json"
        // Writes past 400 blocks of 512 bytes fail with EFBIG: there is room for the image, not for
        // the trace of all its frames.
        let result = try await shell("trap '' XFSZ; ulimit -f 400; \(push) \(trace) | cat")
        let limited = try await shell(
            "trap '' XFSZ; ulimit -f 400; \(push) \(trace) > /dev/null; echo $? >&2"
        )
        #expect(limited.errors.hasSuffix("74\n"), "\(limited.errors)")
        #expect(limited.errors.contains("trace"), "\(limited.errors)")
        #expect(result.events.contains { $0.name == "result" })
    }

    @Test("A command whose output can't be written fails with 74")
    func fullOutput() async throws {
        try await place.generateKey()
        let image = place.image(3_000)
        try await place.sign(image, as: "image.bleota")
        let bundle = place.path("image.bleota")
        let key = place.path("release.pem")
        for arguments in [
            ["--help"], ["--version"], ["help", "push"], ["--generate-completion-script", "bash"],
            ["push", image, "--loopback", "--json"],
            ["decode", "1113db3cc901000040900242d5c96bec1ef9"],
            ["key", "show", key], ["show", bundle], ["verify", bundle, "--key", key, "--json"],
            ["simulate", "--seeds", "1"], ["simulate", "--seed", "1", "--json"],
            ["sign", image, "--key", key, "--output", place.path("new.bleota")],
            ["key", "generate", place.path("new.pem")],
            ["bench", "--simulated", "--size", "65536", "--mtu", "517"],
        ] {
            for (output, name) in [("/dev/full", "full"), ("&-", "closed")] {
                let words = arguments.map { "'\($0)'" }.joined(separator: " ")
                unlink(place.path("new.pem"))
                unlink(place.path("new.pem.pub"))
                let result = try await shell("'\(RunningTool.path)' \(words) >\(output)")
                #expect(result.status == 74, "\(name) \(arguments): \(result.errors)")
                #expect(result.isOneSentence, "\(name) \(arguments): \(result.errors)")
            }
        }
    }

    @Test("A command whose reader leaves is ended by SIGPIPE, as others are")
    func readerLeft() async throws {
        for arguments in [
            "simulate --seeds 3000 --verbose", "help push",
            "push '\(place.image(3_000))' --loopback --json",
        ] {
            let script = "{ sleep 0.2; '\(RunningTool.path)' \(arguments); echo $? >&2; } | true"
            let result = try await shell(script)
            #expect(result.errors == "141\n", "\(arguments): \(result.errors)")
        }
    }

    // MARK: - Support

    private func sign(
        _ image: String,
        to name: String,
        _ arguments: [String] = []
    ) async throws -> ToolResult {
        let key = place.path("release.pem")
        return try await place.run(
            ["sign", image, "--key", key, "-o", place.path(name)] + arguments
        )
    }

    private func shell(_ script: String) async throws -> ToolResult {
        try await RunningTool(["-c", script], in: place, program: "/bin/sh").end(within: 60)
    }

    /// A pipe nobody reads, a link to it, a socket and, where that may be made, a device.
    private func specialFiles() -> [String] {
        mkfifo(place.path("pipe"), 0o644)
        symlink("pipe", place.path("link-to-pipe"))
        let device = mknod(place.path("device"), S_IFCHR | 0o666, makedev(1, 3))
        return ["pipe", "link-to-pipe"] + (device == 0 || errno == EEXIST ? ["device"] : [])
    }

    private struct State: Equatable {
        let inode: UInt64
        let mode: UInt32
        let device: UInt64
        let byteCount: Int
    }

    /// What is under a name, itself.
    private func state(of name: String) -> State? {
        var status = stat()
        guard lstat(place.path(name), &status) == 0 else { return nil }
        return State(
            inode: UInt64(status.st_ino),
            mode: status.st_mode,
            device: UInt64(status.st_rdev),
            byteCount: Int(status.st_size)
        )
    }

    private func mode(of name: String) -> UInt32? { state(of: name).map { $0.mode & 0o7777 } }

    private func makedev(_ major: UInt, _ minor: UInt) -> UInt { major << 8 | minor }
}
