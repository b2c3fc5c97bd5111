import Foundation
import Synchronization
import SystemPackage

/// One run of the built tool.
final class ToolRun: Sendable {
    private let process: Mutex<Process>
    private let errorFile: String

    /// The tool next to the test bundle, or the one that BLEOTA_TOOL names.
    static let executable: String = {
        if let path = ProcessInfo.processInfo.environment["BLEOTA_TOOL"] { return path }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent("bleota").path
    }()

    static func seed(_ variable: String) -> UInt64 {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
            ?? .random(in: .min ... .max)
    }

    static func receive(_ folder: Folder) throws -> ToolRun {
        try ToolRun(
            folder,
            "receive",
            "--listen",
            "unix:\(folder.path("device.socket"))",
            "--store",
            folder.path("store").string,
            "--quiet"
        )
    }

    static func push(_ folder: Folder, window: Int) throws -> ToolRun {
        try ToolRun(
            folder,
            "push",
            folder.path("firmware.bin").string,
            "--connect",
            "unix:\(folder.path("proxy.socket"))",
            "--window",
            "\(window)",
            "--quiet"
        )
    }

    private init(_ folder: Folder, _ arguments: String...) throws {
        errorFile = folder.path("errors-\(UUID().uuidString)").string
        _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.executable)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: errorFile)
        // A coverage build writes its counts when it ends; these runs are not what is counted.
        var environment = ProcessInfo.processInfo.environment
        environment["LLVM_PROFILE_FILE"] = "/dev/null"
        process.environment = environment
        try process.run()
        self.process = Mutex(process)
    }

    var isRunning: Bool { process.withLock { $0.isRunning } }

    var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    /// SIGKILL: nothing of its own is run any more.
    func kill() {
        let id = process.withLock { $0.isRunning ? $0.processIdentifier : 0 }
        guard id > 0 else { return }
        Foundation.kill(id, SIGKILL)
        process.withLock { $0.waitUntilExit() }
    }

    /// The exit code.
    func ended() async -> Int32 {
        while isRunning { await Pause.short() }
        return process.withLock { $0.terminationStatus }
    }
}
