import ArgumentParser
import BLEOTA

/// Runs a command's work with signals turned into cancellation, and its errors into one sentence
/// and an exit code.
enum Command {
    /// - Parameter stopping: what is said to somebody who interrupts it.
    static func run(
        _ reporter: Reporter,
        stopping: String = "the peer is told; interrupt again to end at once",
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let task = Task.detached { try await work() }
        let interruption = Interruption(cancelling: task) {
            reporter.keepLine()
            reporter.event(JSONLine(event: "stopping"))
            reporter.note("stopping      \(stopping)")
        }
        defer { interruption.end() }
        do {
            try await task.value
            reporter.removeLine()
        } catch {
            reporter.keepLine()
            throw report(failure(of: error), reporter)
        }
    }

    static func failure(of error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let error as TransferError: Failure(error)
        case let error as ImageError: Failure(error)
        case let error as StoreError: Failure(error)
        case let error as KeyError: Failure(error)
        case is CancellationError: Failure(TransferError(.cancelled))
        default: Failure(.inputOutput, "\(error)")
        }
    }

    private static func report(_ failure: Failure, _ reporter: Reporter) -> ExitCode {
        reporter.event(
            JSONLine(event: "error")
                .adding("message", failure.sentence)
                .adding("exitCode", Int(failure.status.rawValue))
        )
        Terminal.printError("bleota: \(ImageName.shown(failure.sentence))\n")
        return ExitCode(failure.status.rawValue)
    }
}
