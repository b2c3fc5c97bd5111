import FleetTestSupport
import Glibc

/// What the system knows of a process.
struct Observed {
    let residentBytes: Int
    let peakBytes: Int
    /// The time that its threads have computed.
    let computed: Duration

    init(_ id: pid_t) throws {
        guard let status = TestFolder.read("/proc/\(id)/status"),
            let stat = TestFolder.read("/proc/\(id)/stat")
        else { throw ChildProcess.Failure(description: "process \(id) has ended") }
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        func bytes(_ name: String) -> Int {
            let line = lines.first { $0.hasPrefix(name + ":") } ?? ""
            return (Int(line.filter { $0.isNumber }) ?? 0) << 10
        }
        residentBytes = bytes("VmRSS")
        peakBytes = bytes("VmHWM")
        // The name, which may have spaces, is in parentheses; utime and stime are the 14th and
        // 15th.
        let fields = String(decoding: stat, as: UTF8.self).split(separator: ")").last ?? ""
        let numbers = fields.split(separator: " ").dropFirst(11).prefix(2).compactMap { Int($0) }
        let ticks = numbers.reduce(0, +)
        computed = .milliseconds(ticks * 1_000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    static func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
}
