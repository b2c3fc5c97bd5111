import BLEOTATestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import BLEOTA
@testable import BLEOTATool

/// What somebody sees who sits at a terminal.
@Suite("Terminal", .timeLimit(.minutes(1)))
struct TerminalTests {
    private let place = ToolDirectory()

    @Test("Progress is a bar with percent, bytes, rate and time left, and ends in one summary")
    func progress() async throws {
        let seen = try await push("--loss", "2%", "--burst", "16:4")
        #expect(seen.contains("image.bin  1,000,000 bytes  raw"))
        let lines = seen.unicodeScalars.split { $0 == "\r" || $0 == "\n" }.map(String.init)
        let moving = lines.filter { $0.hasPrefix("[") }
        #expect(moving.count > 3)
        #expect(moving.contains { $0.contains("=>") && $0.contains(" %  ") })
        #expect(moving.contains { $0.contains("kB/s") && $0.contains(" left") })
        #expect(moving.allSatisfy { $0.contains(" of 1,000,000 bytes") })
        #expect(lines.allSatisfy { $0.count < 80 + "\u{1B}[J".count })
        #expect(lines.contains { $0.contains("verified in ") && $0.contains("frames resent") })
        #expect(lines.last?.hasPrefix("sha256        ") == true)
        // No colour, with NO_COLOR or without.
        #expect(!seen.contains(#/\x1B\[[0-9;]*m/#))
    }

    @Test("A terminal that can't move its cursor gets a line now and then")
    func dumb() async throws {
        let seen = try await push("--burst", "16:4", terminal: "dumb")
        #expect(!seen.contains("\u{1B}"))
        let lines = seen.split(separator: "\r\n")
        let progress = lines.filter { $0.contains(" %  ") }
        #expect((3...10).contains(progress.count), "\(seen)")
        #expect(progress.allSatisfy { $0.contains(" of 1,000,000 bytes") }, "\(seen)")
        // The summary tells the end.
        #expect(!seen.contains("100 %"), "\(seen)")
        #expect(lines.dropLast().last?.hasPrefix("verified in ") == true, "\(seen)")
    }

    @Test("A terminal that is resized while a transfer runs shows one bar, and no debris is left")
    func resized() async throws {
        let image = place.image(1_500_000)
        let push = "'\(RunningTool.path)' push '\(image)' --loopback --burst 16:10 2>&1"
        let screen = try await TerminalScreen(push, columnCount: 80, in: place)
        let heading = "image.bin  1,500,000 bytes  raw"
        for columnCount in [80, 50, 120, 34, 80, 40, 100] {
            try await screen.resize(columnCount: columnCount)
            let lines = try await screen.wait(for: "one bar in \(columnCount) columns") { lines in
                lines.count == 2 && lines[0] == heading && lines[1].contains(" %")
                    && (columnCount < 80 || lines[1].count > 60)
            }
            #expect(lines[1].count < columnCount)
        }
        let lines = try await screen.wait(for: "the end") { $0.last == "ended 0" }
        #expect(lines.count == 4, "\(lines)")
        #expect(lines[0] == heading)
        #expect(lines[1].hasPrefix("verified in "))
        #expect(lines[2].hasPrefix("sha256        "))
        try await screen.end()
    }

    @Test("Three devices have a row each, whatever their names, while the terminal is resized")
    func threeDevices() async throws {
        let pipe = place.path("pipe")
        mkfifo(pipe, 0o600)
        let screen = try await TerminalScreen("cat '\(pipe)'", columnCount: 120, in: place)
        let output = open(pipe, O_WRONLY)
        try #require(output >= 0)
        let columnCount = Mutex(120)
        let surface = TerminalSurface(
            columnCount: { columnCount.withLock(\.self) },
            write: { text in
                let bytes = Array(text.utf8)
                _ = write(output, bytes, bytes.count)
            }
        )
        let display = ProgressDisplay(hasCursor: true, on: surface)
        // A lamp with an emoji, wide characters, and one that would turn the direction of the text.
        let names = ["kitchen 💡", "居間のランプと廊下のランプ", "hall\u{202E}pmal\u{1B}[2J"]
        display.printAbove("image.bin  1,000,000 bytes  raw")
        for width in [120, 80, 60, 120, 40, 80] {
            columnCount.withLock { $0 = width }
            try await screen.resize(columnCount: width)
            for index in names.indices {
                display.show(
                    TransferProgress(
                        durableByteCount: 123_456 * (index + 1),
                        totalByteCount: 1_000_000,
                        bytesPerSecond: 41_200,
                        dataFramesSent: 900,
                        dataFramesResent: 12
                    ),
                    ofRow: index,
                    of: names
                )
            }
            let lines = try await screen.wait(for: "three rows in \(width) columns") { lines in
                lines.count == 4 && lines.dropFirst().allSatisfy { $0.contains(" %") }
                    && (width < 120 || lines.dropFirst().allSatisfy { $0.contains("resent") })
            }
            #expect(lines[0] == "image.bin  1,000,000 bytes  raw")
            #expect(lines[1].hasPrefix("kitchen 💡"))
            #expect(lines[2].hasPrefix("居間のランプと廊"))
            #expect(lines[3].hasPrefix("hall?pmal?[2J"))
        }
        display.show("verified in 2.0 s (41.2 kB/s, 12 of 900 frames resent)", ofRow: 0, of: names)
        display.keep()
        close(output)
        let lines = try await screen.wait(for: "the end") { $0.last == "ended 0" }
        #expect(lines.count == 5 && lines[1].contains("verified in 2.0 s"), "\(lines)")
        try await screen.end()
    }

    @Test("A benchmark counts its runs on one line that moves, and its table goes to the output")
    func bench() async throws {
        let receiver = try await place.receiver()
        let terminal = try PseudoTerminal()
        let tool = try RunningTool(
            [
                "TERM=xterm", RunningTool.path, "bench", "--connect", place.target, "--yes",
                "--size", "2000000", "--mtu", "23", "--seconds", "1", "--repeats", "2",
            ],
            in: place,
            terminal: terminal.user,
            program: "/usr/bin/env"
        )
        let result = try await tool.end()
        #expect(result.status == 0)
        let table = result.output.split(separator: "\n")
        #expect(table.contains { $0.hasPrefix("auto ") && $0.contains(" 23 ") })
        #expect(table.contains { $0.hasPrefix("with response ") && $0.hasSuffix(" 1.0") })
        for answer in ["possible", "reached", "to change"] {
            #expect(table.contains { $0.hasPrefix(answer + " ") }, "\(answer)")
        }
        #expect(table.allSatisfy { $0.count <= 100 })
        let lines = await terminal.end().unicodeScalars.split { $0 == "\r" || $0 == "\n" }
            .map(String.init)
        for number in 1...6 {
            #expect(lines.contains { $0.contains("\(number) of 6 runs") }, "\(number)")
        }
        #expect(lines.contains { $0.contains("6 runs   auto, ATT_MTU 23   ") })
        // The last takes the line away.
        #expect(lines.last == "\u{1B}[J")
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    @Test("Quiet is quiet")
    func quiet() async throws {
        #expect(try await push("--quiet") == "")
    }

    private func push(
        _ arguments: String...,
        terminal kind: String = "xterm"
    ) async throws -> String {
        let terminal = try PseudoTerminal()
        let image = place.image(1_000_000)
        let tool = try RunningTool(
            ["TERM=\(kind)", RunningTool.path, "push", image, "--loopback"] + arguments,
            in: place,
            terminal: terminal.user,
            program: "/usr/bin/env"
        )
        let result = try await tool.end()
        #expect(result.status == 0)
        #expect(result.output == "")
        return await terminal.end()
    }
}
