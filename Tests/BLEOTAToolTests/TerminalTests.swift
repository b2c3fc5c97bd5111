import BLEOTATestSupport
import Glibc
import Synchronization
import Testing

/// What somebody sees who sits at a terminal.
@Suite("Terminal", .timeLimit(.minutes(1)))
struct TerminalTests {
    private let place = ToolDirectory()

    @Test("Progress shows percent, bytes, rate and time left on one line that moves")
    func progress() async throws {
        let seen = try await push("--loss", "2%", "--burst", "16:4")
        #expect(seen.contains("image.bin  1,000,000 bytes  raw"))
        let lines = seen.unicodeScalars.split { $0 == "\r" || $0 == "\n" }.map(String.init)
        let moving = lines.filter { $0.contains(" %  ") }
        #expect(moving.count > 3)
        #expect(moving.dropFirst().allSatisfy { $0.hasPrefix("\u{1B}[K") })
        #expect(moving.contains { $0.contains("kB/s") && $0.contains(" left") })
        #expect(moving.allSatisfy { $0.contains(" of 1,000,000 bytes") })
        #expect(lines.allSatisfy { $0.count < 80 + "\u{1B}[K".count })
        #expect(lines.contains { $0.contains("verified in ") && $0.contains("frames resent") })
        #expect(lines.last?.hasPrefix("sha256        ") == true)
    }

    @Test("A benchmark counts its runs on one line that moves, and its table goes to the output")
    func bench() async throws {
        let receiver = try await place.receiver()
        let terminal = try PseudoTerminal()
        let tool = try RunningTool(
            [
                "bench", "--connect", place.target, "--yes", "--size", "2000000", "--mtu", "23",
                "--seconds", "1", "--repeats", "2",
            ],
            in: place,
            terminal: terminal.user
        )
        let result = try await tool.end()
        #expect(result.status == 0)
        let table = result.output.split(separator: "\n")
        #expect(table.contains { $0.hasPrefix("auto ") && $0.contains(" 23 ") })
        #expect(table.contains { $0.hasPrefix("with response ") && $0.hasSuffix(" 1.0") })
        for answer in ["could do", "does", "change"] {
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
        #expect(lines.last == "\u{1B}[K")
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    @Test("Quiet is quiet")
    func quiet() async throws {
        #expect(try await push("--quiet") == "")
    }

    private func push(_ arguments: String...) async throws -> String {
        let terminal = try PseudoTerminal()
        let image = place.image(1_000_000)
        let tool = try RunningTool(
            ["push", image, "--loopback"] + arguments,
            in: place,
            terminal: terminal.user
        )
        let result = try await tool.end()
        #expect(result.status == 0)
        #expect(result.output == "")
        return await terminal.end()
    }
}

/// A terminal of 80 columns, and what was written to it.
private final class PseudoTerminal: Sendable {
    let user: Int32
    private let master: Int32
    private let reader: Task<[UInt8], Never>

    /// `TIOCSPTLCK` and `TIOCGPTN`, which are too complex macros to be imported.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        try #require(ioctl(master, Self.setLock, &isLocked) == 0)
        try #require(ioctl(master, Self.getNumber, &number) == 0)
        let user = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(user >= 0)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(user, UInt(TIOCSWINSZ), &size) == 0)
        self.master = master
        self.user = user
        reader = Task {
            var seen: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(master, &buffer, buffer.count)
                if count > 0 {
                    seen += buffer[..<count]
                } else if count == 0 || errno != EAGAIN || Task.isCancelled {
                    return seen
                } else {
                    try? await Task.sleep(for: .milliseconds(2))
                }
            }
        }
    }

    /// What was written, after the last process has ended that writes.
    func end() async -> String {
        Glibc.close(user)
        let seen = await reader.value
        Glibc.close(master)
        return String(decoding: seen, as: UTF8.self)
    }
}
