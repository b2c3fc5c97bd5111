import BLEOTA
import Glibc
import SystemPackage

/// A unique identity of a process: its ID, its start time, and part of the boot ID of the system.
struct ProcessIdentity: Hashable, CustomStringConvertible {
    /// The polling interval. The process is not a child of this one, so its end is not signaled.
    private static let pause = Duration.milliseconds(50)
    private static let grace = Duration.seconds(5)

    private let pid: pid_t
    let description: String

    /// `nil` if the process does not exist, or has ended.
    init?(_ pid: pid_t) {
        guard pid > 1, let status = Self.text(of: FilePath("/proc/\(pid)/stat")),
            let boot = Self.text(of: "/proc/sys/kernel/random/boot_id")?.prefix(8),
            // The name of the program is in parentheses, and may contain parentheses.
            let end = status.lastIndex(of: ")")
        else { return nil }
        // Field 3 of stat(5) is the first here; field 22 is the start time.
        let fields = status[end...].split(separator: " ").dropFirst()
        guard fields.count > 19, let state = fields.first, state != "Z", state != "X" else {
            return nil
        }
        self.pid = pid
        description = "\(pid)-\(fields[fields.startIndex + 19])-\(boot)"
    }

    /// The process with this description; `nil` if it is no longer running.
    init?(named text: String) {
        guard let number = text.split(separator: "-").first.flatMap({ pid_t($0) }),
            let found = ProcessIdentity(number), found.description == text
        else { return nil }
        self = found
    }

    private var isRunning: Bool { ProcessIdentity(pid) == self }

    /// Ends the process and its group: sends SIGTERM, and SIGKILL if the process is still running
    /// five seconds later.
    func end() async {
        kill(-pid, SIGTERM)
        if await hasEnded(within: Self.grace) { return }
        kill(-pid, SIGKILL)
        _ = await hasEnded(within: Self.grace)
    }

    private func hasEnded(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while isRunning {
            // In a cancelled task the sleep fails at once, so the end is not awaited.
            guard ContinuousClock.now < end, (try? await Task.sleep(for: Self.pause)) != nil else {
                return false
            }
        }
        return true
    }

    private static func text(of path: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0)) ?? 0 }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
