import Foundation
package import Glibc
import Synchronization

/// A run of the built tool as a process of its own.
package final class RunningTool: Sendable {
    private struct State {
        var isReaped = false
    }

    /// `bleota` beside the test bundle, or what `BLEOTA_TOOL` names.
    package static let path: String = {
        if let path = ProcessInfo.processInfo.environment["BLEOTA_TOOL"] { return path }
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let path = URL(fileURLWithPath: bundle ?? "").deletingLastPathComponent()
            .appendingPathComponent("bleota").path
        precondition(
            FileManager.default.isExecutableFile(atPath: path),
            "no tool at \(path); build the product bleota, or set BLEOTA_TOOL"
        )
        return path
    }()

    /// A coverage build writes its counts when it ends; these runs are not what is counted.
    private static let environment = ProcessInfo.processInfo.environment
        .merging(["LLVM_PROFILE_FILE": "/dev/null"]) { _, new in new }
        .map { "\($0.key)=\($0.value)" }

    package let processID: pid_t
    private let outputPath: String
    private let errorPath: String
    private let state = Mutex(State())
    /// Whether it is the tool, and prints lines that docs/output.schema.json describes.
    private let printsJSON: Bool

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - terminal: where its errors and progress go, if not to a file.
    ///   - program: what is started, if not the tool itself.
    package init(
        _ arguments: [String],
        in place: ToolDirectory,
        terminal: Int32? = nil,
        program: String = RunningTool.path
    ) throws {
        printsJSON = program == RunningTool.path && arguments.contains("--json")
        let number = place.nextNumber()
        outputPath = place.path("output-\(number)")
        errorPath = place.path("errors-\(number)")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, flags, 0o644)
        if let terminal {
            posix_spawn_file_actions_adddup2(&actions, terminal, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, errorPath, flags, 0o644)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Whoever runs the tests may ignore or block signals; the tool starts without that.
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        )
        var processID = pid_t(0)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let settings = Self.environment.map { strdup($0) } + [nil]
        defer { for setting in settings { free(setting) } }
        let error = posix_spawn(&processID, program, &actions, &attributes, words, settings)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        self.processID = processID
    }

    deinit {
        guard !state.withLock({ $0.isReaped }) else { return }
        Glibc.kill(processID, SIGKILL)
        waitpid(processID, nil, 0)
    }

    package func send(_ signal: Int32) { Glibc.kill(processID, signal) }

    package var output: String { Self.text(outputPath) }
    package var errors: String { Self.text(errorPath) }

    /// Waits until the output has a line in which the condition holds. Each line is read once.
    package func output(
        within seconds: Int = 60,
        has condition: @Sendable ([String: Any]) -> Bool
    ) async throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: outputPath))
        defer { try? file.close() }
        var unread = Data()
        try await wait(for: "a line of output", within: seconds) {
            guard let new = try file.readToEnd(), !new.isEmpty else { return false }
            unread.append(new)
            let end = (unread.lastIndex(of: UInt8(ascii: "\n")) ?? unread.startIndex - 1) + 1
            defer { unread = Data(unread[end...]) }
            return Event.all(in: String(decoding: unread[..<end], as: UTF8.self))
                .contains { condition($0.fields) }
        }
    }

    package func errors(contain text: String) async throws {
        try await wait(for: "'\(text)' among the errors") { errors.contains(text) }
    }

    /// Waits until a condition holds that the process brings about, which it can while it runs.
    package func wait(
        for what: String,
        within seconds: Int = 60,
        _ condition: () throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var pause = Pause()
        while true {
            let isLastLook = hasEnded || ContinuousClock.now >= deadline
            if try condition() { return }
            guard !isLastLook else {
                let why = hasEnded ? "it ended before there was" : "waited for"
                throw ToolTimeout(
                    description: "\(why) \(what); errors:\n\(errors)\noutput:\n\(output)"
                )
            }
            try await pause.next()
        }
    }

    /// Whether the process has ended; what it left is still to be had by ``end(within:)``.
    package var hasEnded: Bool {
        var information = siginfo_t()
        let flags = WEXITED | WNOHANG | WNOWAIT
        let hasChanged = waitid(P_PID, id_t(processID), &information, flags) == 0
        return !hasChanged || information.si_signo == SIGCHLD
    }

    /// Waits until the process has ended, and calls `look` now and then while it runs.
    package func end(
        within seconds: Int = 120,
        look: () -> Void = {}
    ) async throws -> ToolResult {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var pause = Pause()
        while true {
            var status: Int32 = 0
            look()
            let ended = state.withLock { state -> Bool in
                let ended = waitpid(processID, &status, WNOHANG) == processID
                state.isReaped = ended
                return ended
            }
            if ended {
                let signal = status & 0x7F
                if printsJSON { try OutputSchema.current.check(output) }
                return ToolResult(
                    status: signal == 0 ? status >> 8 & 0xFF : -signal,
                    output: output,
                    errors: errors
                )
            }
            guard ContinuousClock.now < deadline else {
                throw ToolTimeout(description: "it runs on; errors:\n\(errors)")
            }
            try await pause.next()
        }
    }

    /// Ends it as a person does who sits before it, by SIGINT.
    @discardableResult
    package func interrupt() async throws -> ToolResult {
        send(SIGINT)
        return try await end(within: 20)
    }

    /// The largest resident set so far; 0 once the process has ended. What `wait4` says of it
    /// counts the memory of this process too, which the child shares until it runs its program.
    package var peakResidentByteCount: Int {
        let line = Self.text("/proc/\(processID)/status").split(separator: "\n")
            .first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

/// What a run of the tool amounted to.
package struct ToolResult: Sendable {
    /// The exit code, or the signal that ended it as a negative number.
    package let status: Int32
    package let output: String
    package let errors: String

    package var events: [Event] { Event.all(in: output) }

    /// Whether the errors are one sentence of the tool.
    package var isOneSentence: Bool {
        errors.hasPrefix("bleota: ") && errors.hasSuffix(".\n")
            && errors.filter { $0 == "\n" }.count == 1
    }
}

/// A line of JSON.
package struct Event: CustomStringConvertible {
    package let line: String
    package let fields: [String: Any]

    package var name: String? { fields["event"] as? String }
    package var description: String { line }

    package func number(_ key: String) -> Int? { (fields[key] as? NSNumber)?.intValue }
    package func text(_ key: String) -> String? { fields[key] as? String }

    package static func all(in output: String) -> [Event] {
        output.split(separator: "\n").compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            return (object as? [String: Any]).map { Event(line: String(line), fields: $0) }
        }
    }
}

/// The pauses between two looks at a process: short at first, for most end soon; then longer, for
/// the looks must not take the processor from what they wait for.
private struct Pause {
    private var milliseconds = 2

    mutating func next() async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
        milliseconds = min(2 * milliseconds, 20)
    }
}

package struct ToolTimeout: Error, CustomStringConvertible {
    package let description: String
}
