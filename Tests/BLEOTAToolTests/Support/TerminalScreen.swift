import BLEOTATestSupport
import Foundation
import Testing

/// What somebody sees on a terminal that can be resized, as tmux judges it. It wraps long lines
/// anew when it gets narrower.
final class TerminalScreen: Sendable {
    private static let earlierLine = "earlier"

    private let place: ToolDirectory
    private let socket: String

    /// The screen is full of earlier lines, as a user's is. (In an empty one tmux moves the top of
    /// a line that no longer fits out of the screen, where no program can reach it.)
    ///
    /// - Parameter command: what runs in it, as a shell takes it.
    init(_ command: String, columnCount: Int, rowCount: Int = 24, in place: ToolDirectory)
        async throws
    {
        self.place = place
        socket = place.path("tmux-\(place.nextNumber())")
        let earlierLines = "yes '\(Self.earlierLine)' | head -n \(rowCount)"
        let script = place.write(
            Array("\(earlierLines)\n\(command)\necho ended $?\nexec sleep 600\n".utf8),
            to: "run"
        )
        try await tmux(
            "new-session",
            "-d",
            "-x",
            "\(columnCount)",
            "-y",
            "\(rowCount)",
            "sh",
            script
        )
    }

    func end() async throws { try await tmux("kill-server") }

    func resize(columnCount: Int) async throws {
        try await tmux("resize-window", "-x", "\(columnCount)")
    }

    /// The lines that are not empty, with those that have left the screen at its top: a terminal
    /// that wraps lines anew may have no room for all.
    func lines() async throws -> [String] {
        try await tmux("capture-pane", "-p", "-S", "-").output.split(separator: "\n")
            .map { line in
                var line = line
                while line.last == " " { line.removeLast() }
                return String(line)
            }
            .filter { !$0.isEmpty && $0 != Self.earlierLine }
    }

    /// Waits until the screen is as it should be.
    @discardableResult
    func wait(
        for what: String,
        _ condition: ([String]) -> Bool
    ) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            let lines = try await lines()
            if condition(lines) { return lines }
            guard ContinuousClock.now < deadline else {
                throw ScreenTimeout(
                    description: "waited for \(what):\n" + lines.joined(separator: "\n")
                )
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> ToolResult {
        let result = try await RunningTool(
            [
                "-u", "LLVM_PROFILE_FILE", "LC_ALL=C.UTF-8", "LLVM_PROFILE_FILE=/dev/null", "tmux",
                "-u", "-f", "/dev/null", "-S", socket,
            ]
                + arguments,
            in: place,
            program: "/usr/bin/env"
        ).end(within: 20)
        try #require(result.status == 0, "tmux \(arguments): \(result.errors)")
        return result
    }
}

struct ScreenTimeout: Error, CustomStringConvertible {
    let description: String
}
