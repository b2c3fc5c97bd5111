import BLEOTA
import Glibc
import SystemPackage

/// A unique identity of a process on this system: its process ID, its start time, and part of the
/// kernel's boot ID.
struct ProcessIdentity: Hashable, CustomStringConvertible {
    /// The interval at which to check whether a process has exited. It is not a child of this
    /// process, so the system does not report its exit.
    private static let pause = Duration.milliseconds(50)
    private static let grace = Duration.seconds(5)

    private let pid: pid_t
    let description: String

    /// `nil` if there is no such process, or if it has exited.
    init?(_ pid: pid_t) {
        guard pid > 1, let status = Self.text(of: FilePath("/proc/\(pid)/stat")),
            let boot = Self.text(of: "/proc/sys/kernel/random/boot_id")?.prefix(8),
            // The name of the program is in parentheses, and may contain parentheses itself.
            let end = status.lastIndex(of: ")")
        else { return nil }
        // `fields` begins with field 3 of stat(5); the start time is field 22.
        let fields = status[end...].split(separator: " ").dropFirst()
        guard fields.count > 19, let state = fields.first, state != "Z", state != "X" else {
            return nil
        }
        self.pid = pid
        description = "\(pid)-\(fields[fields.startIndex + 19])-\(boot)"
    }

    /// The process that a string identifies, if it is still running.
    init?(named text: String) {
        guard let number = text.split(separator: "-").first.flatMap({ pid_t($0) }),
            let found = ProcessIdentity(number), found.description == text
        else { return nil }
        self = found
    }

    private var isRunning: Bool { ProcessIdentity(pid) == self }

    /// Ends the process and its process group with SIGTERM and, five seconds later, with SIGKILL.
    func end() async {
        kill(-pid, SIGTERM)
        if await hasEnded(within: Self.grace) { return }
        kill(-pid, SIGKILL)
        _ = await hasEnded(within: Self.grace)
    }

    private func hasEnded(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while isRunning {
            // In a cancelled task, the pause fails at once, so this does not wait for the process
            // to exit.
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
