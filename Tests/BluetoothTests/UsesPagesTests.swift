import BLEOTATestSupport
import Testing

/// The commands of the pages that need Bluetooth. The guest is both machines of a page, and has an
/// adapter for each.
@Suite(
    "Uses: the pages",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct UsesPagesTests {
    private static let centralCommands: Set<Substring> = [
        "push", "pull", "scan", "inspect", "read", "write", "watch", "doctor", "bench",
    ]

    @Test("Every command runs and prints what its page shows", arguments: PageBlock.pages)
    func commands(page: String) async throws {
        let problems = try await PageRun.problems(of: page, in: "bluetooth", adapt: withAdapter)
        for problem in problems { Issue.record("\(problem)") }
    }

    /// The command with its adapter as the first option.
    private func withAdapter(_ command: String) -> String {
        guard let call = command.prefixMatch(of: #/bleota (\w+)/#) else { return command }
        let adapter: String
        if call.1 == "receive" {
            adapter = Guest.device
        } else if Self.centralCommands.contains(call.1) {
            adapter = Guest.central
        } else {
            return command
        }
        return "\(call.0) --adapter \(adapter)" + command[call.range.upperBound...]
    }
}
