import ArgumentParser
import BLEOTA
import Glibc

/// Runs the work of a command, turns signals into cancellation, and turns errors into one sentence
/// and an exit code.
enum Command {
    /// Runs a command. Fails if one of the command's outputs is incomplete.
    ///
    /// - Parameters:
    ///   - stopping: the note for a user who interrupts the command.
    ///   - isService: whether SIGTERM and SIGHUP are the normal way to end, and count as success.
    static func run(
        _ reporter: Reporter,
        stopping: String = "telling the peer; interrupt again to exit now",
        isService: Bool = false,
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
            try reporter.end()
            try Terminal.requireCompleteOutput()
        } catch {
            reporter.keepLine()
            // An error from the work itself is more useful than one from ending the trace.
            var ending: Failure?
            do throws(Failure) {
                try reporter.end()
            } catch {
                ending = error
            }
            var failure = failure(of: error)
            if failure.status == .signalled, let number = interruption.signalNumber {
                if isService, number != SIGINT {
                    guard let ending else { return }
                    throw report(ending, reporter)
                }
                failure = Failure(ExitStatus(signal: number), failure.sentence)
            }
            throw report(failure, reporter)
        }
    }

    /// Runs a filter, which has no peer to inform: a signal ends it at once.
    static func runFilter(
        _ reporter: Reporter,
        _ work: () throws -> Void
    ) throws {
        do {
            try work()
            try reporter.end()
            try Terminal.requireCompleteOutput()
        } catch {
            throw report(failure(of: error), reporter)
        }
    }

    static func failure(of error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let error as TransferError: Failure(error)
        case let error as FirmwareError: Failure(error)
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
        return report(failure)
    }

    /// Prints the failure, and returns its exit code.
    static func report(_ failure: Failure) -> ExitCode {
        Terminal.printErrorLine("bleota: " + ImageName.shown(failure.sentence))
        return ExitCode(failure.status.rawValue)
    }
}
