#if BlueZ
import Synchronization

/// Reports each finding at once, and keeps the first problem.
final class Checkup: Sendable {
    private let isJSON: Bool
    private let reporter: Reporter
    private let problem = Mutex<String?>(nil)
    private let permission = Mutex<Failure?>(nil)

    init(_ options: OutputOptions, _ reporter: Reporter) {
        isJSON = options.json
        self.reporter = reporter
    }

    func add(_ finding: Finding) {
        reporter.event(finding.line)
        if !isJSON { for line in finding.lines { Terminal.printLine(line) } }
        guard finding.grade == .problem else { return }
        problem.withLock { $0 = $0 ?? finding.subject }
    }

    func add(permissionFailure: Failure) { permission.withLock { $0 = permissionFailure } }

    var permissionFailure: Failure? { permission.withLock { $0 } }

    var firstProblem: String? { problem.withLock { $0 } }
}
#endif
