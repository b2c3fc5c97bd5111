import BLEOTATestSupport
import Testing

/// What the tool says of itself, and to somebody who uses it wrongly.
@Suite("Usage", .timeLimit(.minutes(2)))
struct UsageTests {
    private let place = ToolDirectory()

    @Test("The tool's help says what it can do and what its exit codes mean")
    func overview() async throws {
        let result = try await place.run("help")
        #expect(result.status == 0)
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for word in [
            "push", "receive", "pull", "decode", "simulate", "0 verified", "1 a simulated", "64",
            "75", "130",
        ] {
            #expect(words.contains(word), "\(word)")
        }
        #expect(try await place.run("--version").status == 0)
    }

    @Test(
        "The help of each command has an example",
        arguments: [
            "push", "receive", "pull", "decode", "scan", "inspect", "read", "write", "watch",
            "doctor", "simulate", "bench",
        ]
    )
    func help(command: String) async throws {
        let result = try await place.run("help", command)
        #expect(result.status == 0)
        #expect(result.output.contains("EXAMPLE"))
        #expect(result.output.contains("  bleota \(command) "))
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(
        "Help begins with how a command is called and its own options, and wraps no example",
        arguments: [
            "", "push", "receive", "pull", "confirm", "key generate", "key show", "sign", "verify",
            "show", "decode", "simulate", "bench", "scan", "inspect", "read", "write", "watch",
            "doctor",
        ]
    )
    func layout(command: String) async throws {
        let result = try await place.run(["help"] + command.split(separator: " ").map(String.init))
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  ") {
            #expect(next.isEmpty || next.hasPrefix("  "), "\(line)⏎\(next)")
        }
        #expect(!result.output.contains("<target>"))
        let sections = [
            "USAGE:", "EXAMPLE", "ARGUMENTS:", "OPTIONS:", "OUTPUT:", "DETAILS:", "EXIT CODES:",
        ].compactMap {
            name in lines.firstIndex { $0.hasPrefix(name) }
        }
        #expect(sections == sections.sorted(), "\(result.output)")
        #expect(sections.count >= 2)
    }

    @Test("The first screen has each command in one line, and the exit codes come last")
    func firstScreen() async throws {
        let lines = try await place.run("help").output.split(separator: "\n").map(String.init)
        for command in ["push", "receive", "key", "scan", "bench", "doctor"] {
            let line = try #require(lines.firstIndex { $0.hasPrefix("  \(command) ") })
            #expect(lines[line].hasSuffix(".") && lines[line].count <= 80, "\(lines[line])")
        }
        #expect(lines.last?.hasPrefix("  143 ") == true)
    }

    @Test("A command that is misspelled: which one was meant, and 64")
    func misspelled() async throws {
        for arguments in [["psh", place.image(100)], ["help", "psh"], ["psuh"]] {
            let result = try await place.run(arguments)
            #expect(result.status == 64)
            #expect(result.errors.contains("did you mean bleota push?"), "\(result.errors)")
        }
    }

    @Test("A misspelled command of a command, and a misspelled option: which one was meant, and 64")
    func misspelledBelow() async throws {
        for (arguments, meant) in [
            (["key", "genrate", "k"], "did you mean bleota key generate?"),
            (["help", "key", "shw"], "did you mean bleota key show?"),
            (["push", "x", "--lopback"], "Did you mean '--loopback'?"),
            (["push", "x", "--wait"], "Did you mean '--wait-confirmed'?"),
            (["sign", "x", "--counter", "-1"], "The value '-1' is invalid for '--counter <N>'"),
        ] {
            let result = try await place.run(arguments)
            #expect(result.status == 64)
            #expect(result.errors.contains(meant), "\(result.errors)")
        }
    }

    @Test("A name after the image is a mistake of usage, and the sentence has the option for it")
    func secondPositional() async throws {
        let result = try await place.run("push", place.image(100), "kitchen")
        #expect(result.status == 64)
        #expect(result.errors.contains("add --device kitchen"), "\(result.errors)")
    }

    @Test("--version is the tool's alone, so that sign can have its own")
    func version() async throws {
        try await place.generateKey()
        let image = place.image(100)
        try await place.sign(image, as: "a.bleota", "--version", "7.8")
        #expect(try await place.run("show", place.path("a.bleota")).output.contains("7.8"))
        #expect(try await place.run("push", image, "--loopback", "--version").status == 64)
        #expect(!(try await place.run("help", "push").output.contains("--version")))
        #expect(try await place.run("help").output.contains("--version"))
    }

    @Test("A shell completes what an option can be", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let script = try await place.run("--generate-completion-script", shell).output
        for value in ["authenticated", "without-response", "coded-s2", "raw"] {
            #expect(script.contains(value), "\(value)")
        }
    }

    @Test("The man page has the commands of commands, with all that they can do")
    func manPage() async throws {
        let page = try await RunningTool(
            ["python3", Repository.path(of: "scripts/man.py"), RunningTool.path],
            in: place,
            program: "/usr/bin/env"
        ).end()
        #expect(page.status == 0, "\(page.errors)")
        #expect(page.output.contains(".SS bleota key generate\n"))
        // The ways to call a command, as its help has them.
        for synopsis in [
            "\\fBbleota push\\fR \\fIimage\\fR \\fB\\-\\-loopback\\fR",
            "\\fBbleota key generate\\fR \\fIfile\\fR [\\fIoptions\\fR]",
            "(\\fB\\-\\-trust\\fR \\fIFILE\\fR | \\fB\\-\\-allow\\-unsigned\\fR) [\\fIoptions\\fR] "
                + "[\\-\\- \\fIprogram\\fR]",
        ] {
            #expect(page.output.contains(synopsis), "\(synopsis)")
        }
        #expect(page.output.contains("\\fB\\-\\-sealing\\fR"))
        #expect(page.output.contains(".SH EXIT CODES"))
        #expect(!page.output.contains(".SS bleota key\n"))
    }

    @Test("A push without a target says which targets there are")
    func noTarget() async throws {
        // Where there is no Bluetooth either.
        let result = try await RunningTool(
            [
                "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere", RunningTool.path, "push",
                place.image(1_000),
            ],
            in: place,
            program: "/usr/bin/env"
        ).end()
        #expect(result.status == 69)
        #expect(result.isOneSentence, "\(result.errors)")
        for target in ["--loopback", "--connect unix:PATH"] {
            #expect(result.errors.contains(target))
        }
        #expect(!result.errors.contains("--device"), "\(result.errors)")
    }

    @Test("Without a bus every command that needs Bluetooth says so, and ends with 69")
    func noBus() async throws {
        for arguments in [
            ["scan"], ["inspect", "kitchen"], ["read", "kitchen", "2a19"], ["doctor"],
            ["write", "kitchen", "2a19", "00"], ["watch", "kitchen", "2a19"],
            ["push", place.image(1_000), "--device", "kitchen"],
            ["bench", "--device", "kitchen", "--yes"],
            ["pull", "log", "--device", "kitchen", "--output", place.path("log")],
            ["receive", "--advertise", "--allow-unsigned", "--store", place.store],
        ] {
            let result = try await RunningTool(
                ["DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere", RunningTool.path] + arguments,
                in: place,
                program: "/usr/bin/env"
            ).end(within: 20)
            #expect(result.status == 69, "\(arguments): \(result.errors)")
            #expect((result.errors + result.output).contains("D-Bus"), "\(arguments)")
        }
    }

    @Test("The doctor looks at everything, also where there is no daemon")
    func doctor() async throws {
        let result = try await RunningTool(
            ["DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere", RunningTool.path, "doctor", "--json"],
            in: place,
            program: "/usr/bin/env"
        ).end(within: 20)
        #expect(result.status == 69)
        let subjects = result.events.compactMap { $0.text("subject") }
        for subject in ["daemon", "adapter", "ATT_MTU", "connection interval", "device"] {
            #expect(subjects.contains(subject), "\(subjects)")
        }
        #expect(result.output.contains("apt install bluez"), "\(result.output)")
    }

    @Test(
        "An option that makes no sense is a mistake of usage, and the sentence says what would",
        arguments: [
            (["push", "x", "--loopback", "--connect", "unix:/a"], "choose one target"),
            (["push", "x", "--connect", "ble:aa"], "unix:PATH"),
            (["push", "x", "--connect", "unix:"], "unix:PATH"),
            (["push", "x", "--connect", "serial:"], "serial:PATH[@BAUD]"),
            (["push", "x", "--connect", "serial:/dev/ttyS0@115201"], "115200, 230400"),
            (["push", "x", "--connect", "serial:/dev/ttyS0@"], "PATH[@BAUD]"),
            (["push", "x", "--connect", "serial:@9600"], "PATH[@BAUD]"),
            (["receive", "--listen", "serial:/dev/ttyS0@fast", "--store", "s"], "fast"),
            (["push", "x", "--connect", "unix:/a", "--output", "y"], "--loopback"),
            (["push", "x", "--loopback", "--mtu", "22"], "23 to 517"),
            (["push", "x", "--loopback", "--mtu", "518"], "23 to 517"),
            (["push", "x", "--loopback", "--window", "0"], "auto|N"),
            (["push", "x", "--loopback", "--window", "3", "--burst", "4"], "choose one"),
            (["push", "x", "--loopback", "--burst", "4:x"], "N[:MS]"),
            (["push", "x", "--loopback", "--write-mode", "fast"], "with-response"),
            (["push", "x", "--loopback", "--loss", "120%"], "0% to 100%"),
            (["push", "x", "--loopback", "--timeout", "0"], "1 to 3600"),
            (["push", "x", "--device", "a", "--pair", "--passkey", "12"], "six digits"),
            (["push", "x", "--device", "a", "--passkey", "123456"], "needs --pair"),
            (["pull", "x", "--connect", "unix:/a"], "--output"),
            (["receive", "--listen", "unix:/a"], "--store"),
            (["receive", "--advertise", "--store", "s"], "choose whose images to accept: --trust"),
            (
                ["receive", "--listen", "unix:/a", "--store", "s", "--link", "encrypted"],
                "needs --advertise"
            ),
            (
                ["receive", "--listen", "unix:/a", "--store", "s", "--once", "--offer", "f"],
                "--once"
            ),
            (["decode"], "HEX|FILE"),
            (["simulate"], "--seeds N"),
            (["simulate", "--seeds", "3", "--seed", "4"], "--seeds N"),
            (["simulate", "--seeds", "0"], "1 or more"),
            (["simulate", "--seeds=-1"], "1 or more"),
            (["simulate", "--seeds", "many"], "many"),
            (["simulate", "--seed", "-1"], "--seed"),
            (["simulate", "--seed", "3", "--from", "4"], "--from needs --seeds"),
            (["simulate", "--seeds", "3", "--trace", "x"], "--trace needs --seed"),
            (["simulate", "--seeds", "2", "--from", "18446744073709551615"], "would exceed"),
            (["bench"], "choose one link"),
            (["bench", "--simulated", "--connect", "unix:/a"], "choose one link"),
            (["bench", "--device", "a", "--connect", "unix:/a"], "choose one link"),
            (["bench", "--connect", "unix:/a"], "add --yes"),
            (["bench", "--connect", "unix:/a", "--yes", "--phy", "1M"], "--simulated"),
            (["bench", "--connect", "unix:/a", "--yes", "--interval", "30"], "--simulated"),
            (["bench", "--connect", "unix:/a", "--yes", "--loss", "1%"], "--simulated"),
            (["bench", "--connect", "unix:/a", "--yes", "--seconds", "0"], "1 to 600"),
            (["bench", "--connect", "unix:/a", "--yes", "--repeats", "101"], "1 to 100"),
            (["bench", "--simulated", "--yes"], "--yes needs"),
            (["bench", "--simulated", "--adapter", "hci0"], "--adapter needs"),
            (["bench", "--simulated", "--seconds", "2"], "--seconds needs"),
            (["bench", "--simulated", "--phy", "3M"], "coded-s2"),
            (["bench", "--simulated", "--interval", "0.25"], "0.375 to 4000 ms in steps of 0.125"),
            (["bench", "--simulated", "--interval", "0.4"], "0.375 to 4000 ms in steps of 0.125"),
            (["bench", "--simulated", "--interval", "7.5001"], "0.375 to 4000 ms"),
            (["bench", "--simulated", "--interval", "1e1"], "0.375 to 4000 ms"),
            (["bench", "--simulated", "--interval", "4000.125"], "0.375 to 4000 ms"),
            (["bench", "--simulated", "--frame-space", "10001"], "0 to 10000 microseconds"),
            (["bench", "--simulated", "--frame-space", "1.5"], "0 to 10000 microseconds"),
            (["bench", "--simulated", "--frame-space=-1"], "0 to 10000 microseconds"),
            (["bench", "--simulated", "--interval", "0.375"], "or a shorter --frame-space"),
            (
                ["bench", "--simulated", "--phy", "coded-s8", "--interval", "5"],
                "longer --interval"
            ),
            (["bench", "--connect", "unix:/a", "--yes", "--frame-space", "0"], "--simulated"),
            (["bench", "--simulated", "--loss", "51%"], "at most 50%"),
            (["bench", "--simulated", "--mtu", "22"], "23 to 517"),
            (["bench", "--simulated", "--window", "513"], "1 to 512"),
            (["bench", "--simulated", "--size", "65535"], "65536 to 67108864"),
            (["frobnicate"], "frobnicate"),
            (["push", "x", "--loopback", "--format", "raw", "--region", "2"], "--region needs"),
            (["receive", "--advertise", "--store", "s", "--link", "safe"], "authenticated"),
        ]
    )
    func usage(arguments: [String], words: String) async throws {
        let result = try await RunningTool(arguments, in: place).end()
        #expect(result.status == 64)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.output.isEmpty)
    }
}
