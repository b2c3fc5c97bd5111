import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// Files, places and disks that are wrong: one sentence, the right exit code, nothing lost.
@Suite("Bad input", .timeLimit(.minutes(2)))
struct BadInputTests {
    private let place = ToolDirectory()

    @Test(
        "A file that is no image",
        arguments: [
            ("empty", "", 65, "empty"),
            ("truncated.hex", ":10000000000102030405", 65, "line 1"),
            ("half.hex", ":0400000001020304F2\n", 65, "end"),
            ("checksum.hex", ":0400000001020304F3\n:00000001FF\n", 65, "checksum"),
        ] as [(String, String, Int32, String)]
    )
    func files(name: String, text: String, status: Int32, word: String) async throws {
        let path = place.write(Array(text.utf8), to: name)
        let output = place.write([1, 2, 3], to: "output")
        for target in [["--loopback", "--output", output], ["--connect", place.target]] {
            let result = try await RunningTool(["push", path] + target, in: place).end()
            #expect(result.status == status)
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains(word), "\(result.errors)")
        }
        #expect(place.bytes("output") == [1, 2, 3])
    }

    @Test(
        "Help for what is no command is refused",
        arguments: [
            (["help", "frobnicate"], "frobnicate is not a command; bleota --help lists"),
            (["help", "pusch"], "did you mean bleota push?"),
            (["help", "key", "frobnicate"], "frobnicate is not a command"),
            (["help", "push", "frobnicate"], nil), (["help"], nil), (["help", "key"], nil),
        ] as [([String], String?)]
    )
    func help(words: [String], sentence: String?) async throws {
        let result = try await place.run(words)
        #expect(result.status == (sentence == nil ? 0 : 64))
        guard let sentence else { return }
        #expect(result.errors.count { $0 == "\n" } == 1, "\(result.errors)")
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }

    @Test("A place for a key that does not exist is as wrong as one for any other output")
    func placeOfKey() async throws {
        let result = try await place.run("key", "generate", place.path("none/release.pem"))
        #expect(result.status == 73)
        #expect(result.isOneSentence, "\(result.errors)")
    }

    @Test("A path that is no file")
    func noFile() async throws {
        for path in [place.path("missing"), place.root, "/dev/null"] {
            let result = try await place.run("push", path, "--loopback")
            #expect(result.status == 74)
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains(path))
        }
    }

    @Test(
        "A file whose name says what it is not is refused, unless it is to be taken as it is",
        arguments: ["a.bleota", "b.hex", "C.HEX", "d.zip", "e.ihex", "f.elf"]
    )
    func names(name: String) async throws {
        let path = place.image(2_000, name: name)
        try await place.generateKey()
        for command in [
            ["push", path, "--loopback"], ["show", path],
            ["sign", path, "--key", place.path("release.pem"), "-o", place.path("o")],
        ] {
            let result = try await place.run(command)
            #expect(result.status == 65, "\(command)")
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains("--format raw"), "\(result.errors)")
            #expect(try await place.run(command + ["--format", "raw"]).status == 0, "\(command)")
        }
        let beginning = Array("PK\u{3}\u{4} and the rest".utf8)
        let end = Array("PK\u{5}\u{6}".utf8) + [UInt8](repeating: 0, count: 16) + [2, 0, 7, 7]
        let zip = place.write(beginning + end, to: "whole.zip")
        #expect(try await place.run("push", zip, "--loopback").status == 0)
        let cut = place.write(beginning + end.dropLast(), to: "cut.zip")
        #expect(try await place.run("push", cut, "--loopback").status == 65)
        // What is a bundle by its content is one under any name.
        #expect(try await place.run("push", place.path("o"), "--loopback").status == 0)
    }

    @Test("Names of files are bytes, and need not be UTF-8")
    func bytes() async throws {
        _ = place.image(5_000)
        let tool = RunningTool.path
        let script = """
            cd '\(place.root)' && cp image.bin "$(printf 'i\\377.bin')" &&
            '\(tool)' push "$(printf 'i\\377.bin')" --loopback --output "$(printf 'o\\377')" \
              --trace "$(printf 't\\377')" --json &&
            '\(tool)' decode "$(printf 't\\377')" >decoded &&
            '\(tool)' key generate "$(printf 'k\\377')" &&
            '\(tool)' sign "$(printf 'i\\377.bin')" --key "$(printf 'k\\377')" \
              -o "$(printf 'b\\377')" &&
            '\(tool)' verify "$(printf 'b\\377')" --key "$(printf 'k\\377.pub')" &&
            cmp image.bin "$(printf 'o\\377')" && '\(tool)' show "$(printf 'none\\377')"
            """
        let result = try await RunningTool(["-c", script], in: place, program: "/bin/sh").end()
        #expect(result.status == 74, "\(result.errors)")
        #expect(
            result.errors.hasSuffix("none\u{FFFD} does not exist; check the path.\n"),
            "\(result.errors)"
        )
    }

    @Test("A file that may not be read", .enabled(if: geteuid() != 0, "root may read every file"))
    func unreadable() async throws {
        let path = place.image(100)
        chmod(path, 0)
        let result = try await place.run("push", path, "--loopback")
        #expect(result.status == 74)
        #expect(result.isOneSentence, "\(result.errors)")
    }

    @Test("An output in a directory that is missing, or that is one")
    func output() async throws {
        let image = place.image(100)
        for output in [place.path("no/such/output"), place.root] {
            let result = try await place.run("push", image, "--loopback", "--output", output)
            #expect(result.status == 73)
            #expect(result.isOneSentence, "\(result.errors)")
        }
        let trace = try await place.run("push", image, "--loopback", "--trace", place.path("n/t"))
        #expect(trace.status == 73)
        #expect(trace.isOneSentence, "\(trace.errors)")
    }

    @Test("Nobody listens")
    func nobody() async throws {
        let image = place.image(100)
        let push = try await place.run("push", image, "--connect", place.target, "--timeout", "1")
        let pull = try await place.run(
            "pull",
            "x",
            "--timeout",
            "1",
            "--connect",
            place.target,
            "--output",
            place.path("x")
        )
        for result in [push, pull] {
            #expect(result.status == 69)
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains(place.socket))
        }
        #expect(place.bytes("x") == nil)
    }

    @Test("A socket path that is taken, or is a file, or too long, or nowhere")
    func socketPaths() async throws {
        let first = try await place.receiver()
        place.write([1], to: "file")
        let paths = [
            place.socket, place.path("file"), place.path("no/such"),
            place.path(String(repeating: "x", count: 120)),
        ]
        for path in paths {
            let result = try await place.run(
                "receive",
                "--listen",
                "unix:\(path)",
                "--store",
                place.path("other")
            )
            #expect(result.status == 73)
            #expect(result.isOneSentence, "\(result.errors)")
        }
        #expect(place.bytes("file") == [1])
        // The first is unharmed.
        let push = try await place.run("push", place.image(1_000), "--connect", place.target)
        #expect(push.status == 0)
        first.send(SIGTERM)
        _ = try await first.end()
    }

    @Test("A store that can't be made, or that another process holds")
    func stores() async throws {
        place.write([1], to: "file")
        let file = try await place.run(
            "receive",
            "--listen",
            place.target,
            "--store",
            place.path("file/store")
        )
        #expect(file.status == 73)
        #expect(file.isOneSentence, "\(file.errors)")

        let first = try await place.receiver()
        let second = try await place.run(
            "receive",
            "--listen",
            "unix:\(place.path("s2"))",
            "--store",
            place.store
        )
        #expect(second.status == 75)
        #expect(second.isOneSentence, "\(second.errors)")
        first.send(SIGTERM)
        _ = try await first.end()
    }

    @Test("A disk that is full", .enabled(if: TinyDisk.isPossible, "needs the right to mount"))
    func fullDisk() async throws {
        let disk = try TinyDisk()
        let image = place.image(2 << 20)
        let output = disk.path("output")
        _ = FileManager.default.createFile(atPath: output, contents: Data([7]))
        let loopback = try await place.run(
            "push",
            image,
            "--loopback",
            "--force",
            "--output",
            output
        )
        #expect(loopback.status == 74)
        #expect(loopback.isOneSentence, "\(loopback.errors)")
        #expect(loopback.errors.contains("No space"))
        #expect(FileManager.default.contents(atPath: output) == Data([7]))

        let receiver = try RunningTool(
            ["receive", "--listen", place.target, "--store", disk.path("store"), "--json"],
            in: place
        )
        try await receiver.output { $0["event"] as? String == "listening" }
        let push = try await place.run("push", image, "--connect", place.target)
        #expect(push.status == 65)
        #expect(push.isOneSentence, "\(push.errors)")
        #expect(push.errors.contains("bytes free"))
        // What fits is taken afterwards.
        let small = try await place.run(
            "push",
            place.image(1_000, name: "small"),
            "--connect",
            place.target
        )
        #expect(small.status == 0)
        receiver.send(SIGTERM)
        let result = try await receiver.end()
        #expect(result.events.contains { $0.name == "ended" })
        #expect(result.events.contains { $0.name == "stored" })
    }

    @Test("What decode can't read it names, and what is no frame it marks")
    func decode() async throws {
        let notHex = try await place.run("decode", "abc")
        #expect(notHex.status == 65)
        #expect(notHex.isOneSentence || notHex.errors.contains("line 1"), "\(notHex.errors)")
        #expect(try await place.run("decode", place.path("missing")).status == 74)
        let garbage = try await place.run("decode", "ff")
        #expect(garbage.status == 65)
        #expect(garbage.output.hasPrefix("?"))
        let frame = try await place.run("decode", "1113db3cc901000040900242d5c96bec1ef9")
        #expect(frame.status == 0)
        #expect(frame.output.hasPrefix("OPEN session 0xdb13, chunks of 240 bytes"))
        let json = try await place.run(
            "decode",
            "1113db3cc901000040900242d5c96bec1ef9",
            "ff",
            "--json"
        )
        #expect(json.status == 65)
        #expect(json.events.map { $0.name } == ["frame", "frame", "error"])
        #expect(json.events.map { $0.fields["wellFormed"] as? Bool } == [true, false, nil])
        #expect(
            json.events.first?.text("text")
                == frame.output.split(separator: "\n").first.map(String.init)
        )
        #expect(json.output.split(separator: "\n").count == 3)
    }
}

/// A file system in memory of 1 MiB.
final class TinyDisk: Sendable {
    static let isPossible: Bool = (try? TinyDisk()) != nil

    private let directory = ToolDirectory()

    init() throws {
        guard mount("tmpfs", directory.root, "tmpfs", 0, "size=1m") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }

    deinit { umount2(directory.root, Int32(MNT_DETACH)) }

    func path(_ name: String) -> String { directory.path(name) }
}
