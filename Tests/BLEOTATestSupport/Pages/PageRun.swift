import Foundation
import Glibc

/// Runs the commands of a page, one after the other, in a scratch directory with a terminal.
///
/// The directory has `firmware.bin`, and `firmware-2.0.bin`, which differs from it in its middle. A
/// command that ends with ` &` runs until `kill %N` names it, or until the page ends. Every command
/// has to end with 0, unless the next one is `echo $?`.
package final class PageRun {
    private struct Job {
        let command: PageCommand
        let tool: RunningTool
        let terminal: PseudoTerminal
    }

    private static let isUpdating = ProcessInfo.processInfo.environment["BLEOTA_UPDATE"] != nil
    private static let signals = [
        "TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "KILL": SIGKILL,
    ]

    private let place = ToolDirectory()
    private let adapt: (String) -> String
    private let isFirmwareReal: Bool
    /// By the numbers that a shell gives them: one more than the highest that is in use.
    private var jobs: [Int: Job] = [:]
    private var lastStatus: Int32 = 0
    /// What the page should show, by the lines that it takes the place of.
    private var corrections: [(lines: Range<Int>, output: [String])] = []
    private var problems: [String] = []

    /// Runs all commands of the page's blocks for this place.
    ///
    /// With `BLEOTA_UPDATE` in the environment it writes what they print into the page, unless the
    /// page leaves out a part.
    ///
    /// - Parameter adapt: makes of a command of the page the one that runs here.
    /// - Returns: what is not as the page says.
    package static func problems(
        of page: String,
        in name: String = "",
        adapt: @escaping (String) -> String = { $0 }
    ) async throws -> [String] {
        let commands = try PageBlock.all(of: page)
            .filter { $0.language == "console" && $0.place == name }
            .flatMap(PageCommand.all)
        let run = try await PageRun(adapt)
        for (index, command) in commands.enumerated() {
            let next = index + 1 < commands.count ? commands[index + 1] : nil
            try await run.take(command, mayFail: next?.asksForStatus ?? false)
        }
        try await run.endJobs()
        if !run.corrections.isEmpty { try run.correct(page) }
        return run.problems
    }

    private init(_ adapt: @escaping (String) -> String) async throws {
        self.adapt = adapt
        let files = FileManager.default
        for folder in ["bin", "page"] {
            try files.createDirectory(
                atPath: place.path(folder),
                withIntermediateDirectories: false
            )
        }
        try files.createSymbolicLink(
            atPath: place.path("bin/bleota"),
            withDestinationPath: RunningTool.path
        )
        let real = try await PageFirmware.real(in: place)
        isFirmwareReal = real != nil
        let image = real ?? PageFirmware.made
        place.write(image, to: "page/firmware.bin")
        place.write(PageFirmware.before(image), to: "page/firmware-2.0.bin")
    }

    // MARK: - Commands

    private func take(_ command: PageCommand, mayFail: Bool) async throws {
        if let kill = command.text.wholeMatch(of: #/kill (?:-(\w+) )?(%\d+|\$!)/#) {
            let signal = Self.signals[kill.1.map(String.init) ?? "TERM"]
            try await end(number(ofJob: kill.2), by: signal)
        } else if let wait = command.text.wholeMatch(of: #/wait (%\d+|\$!)/#) {
            try await end(number(ofJob: wait.1), by: nil)
        } else if command.isInBackground {
            try await begin(command)
        } else {
            let (tool, terminal) = try start(command)
            let result = try await tool.end()
            let found = PageScreen.lines(of: await terminal.end())
            lastStatus = result.status
            if !mayFail, result.status != 0 {
                report(command, "ends with \(result.status)", found)
            } else if !command.output.isEmpty {
                compare(command, found)
            }
        }
    }

    private func start(
        _ command: PageCommand
    ) throws -> (tool: RunningTool, terminal: PseudoTerminal) {
        let terminal = try PseudoTerminal()
        let text = adapt(command.text)
        // The shell becomes a command that keeps running, which is then the one that gets signals.
        let script = """
            cd '\(place.path("page"))'
            export PATH='\(place.path("bin"))':$PATH TERM=xterm LC_ALL=C.UTF-8
            exec >&2
            (exit \(lastStatus))
            \(command.isInBackground ? "exec " : "")\(text)
            """
        let tool = try RunningTool(
            ["-c", script],
            in: place,
            terminal: terminal.user,
            program: "/bin/bash"
        )
        return (tool, terminal)
    }

    private func begin(_ command: PageCommand) async throws {
        let (tool, terminal) = try start(command)
        let shown = command.output + ["…"]
        do {
            try await tool.wait(for: "the beginning of the output", within: 30) {
                let found = PageScreen.lines(of: terminal.text)
                return !found.isEmpty && rules(for: command).matches(shown, found)
            }
        } catch {
            compare(command, PageScreen.lines(of: terminal.text))
        }
        let number = (jobs.keys.max() ?? 0) + 1
        jobs[number] = Job(command: command, tool: tool, terminal: terminal)
    }

    /// The number in `%1`, or that of the job which began last for `$!`.
    private func number(ofJob text: Substring) -> Int {
        Int(text.dropFirst()) ?? jobs.keys.max() ?? 0
    }

    /// Waits until a job has ended.
    ///
    /// - Parameter signal: what it gets before; with none, or with SIGTERM, it has to end with 0.
    private func end(_ number: Int, by signal: Int32?) async throws {
        guard let job = jobs.removeValue(forKey: number) else {
            throw PageProblem("there is no job %\(number)")
        }
        if let signal { job.tool.send(signal) }
        let result = try await job.tool.end(within: 30)
        let output = PageScreen.lines(of: await job.terminal.end())
        if result.status != 0, [nil, SIGTERM].contains(signal) {
            report(job.command, "ends with \(result.status)", output)
        }
    }

    private func endJobs() async throws {
        for number in jobs.keys.sorted() { try await end(number, by: SIGTERM) }
    }

    // MARK: - Output

    private func compare(_ command: PageCommand, _ found: [String]) {
        guard !rules(for: command).matches(command.output, found) else { return }
        guard Self.isUpdating, !command.output.contains("…") else {
            return report(command, "prints", found)
        }
        let end = command.outputStart + command.output.count
        corrections.append((command.outputStart..<end, found))
    }

    private func rules(for command: PageCommand) -> PageOutput {
        PageOutput(isRepeatable: command.isRepeatable, isFirmwareReal: isFirmwareReal)
    }

    private func report(_ command: PageCommand, _ what: String, _ found: [String]) {
        problems.append("\(command)\n\(what):\n" + found.joined(separator: "\n"))
    }

    private func correct(_ page: String) throws {
        var lines = try Repository.text(of: page)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (range, output) in corrections.reversed() {
            lines.replaceSubrange(range, with: output)
        }
        let path = Repository.path(of: page)
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
}
