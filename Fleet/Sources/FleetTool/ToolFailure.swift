import FleetStore
import Glibc
import NATS

/// The exit codes of the tool, from sysexits.h.
enum ExitStatus: Int32 {
    case done = 0
    case usage = 64
    case badData = 65
    case unavailable = 69
    case software = 70
    case inputOutput = 74
    case temporary = 75
    case noPermission = 77
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// What a signal that ended the work means.
    init(signal number: Int32) {
        self =
            switch number {
            case SIGHUP: .hungUp
            case SIGTERM: .terminated
            default: .interrupted
            }
    }
}

/// An error as the user sees it: one sentence and an exit code.
struct ToolFailure: Error {
    let status: ExitStatus
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence.hasSuffix(".") ? sentence : sentence + "."
    }

    init(_ error: NATSError, doing what: String? = nil) {
        let status: ExitStatus =
            switch error {
            case .wrongArgument: .usage
            case .busy, .revisionConflict, .timeout: .temporary
            case .cancelled: .interrupted
            case .notFound, .exists, .serverTooOld, .refused, .disconnected, .closed: .unavailable
            case .refusedCredentials, .refusedCertificate, .notPermitted: .noPermission
            case .failed: .software
            }
        self.init(status, what.map { "\($0): \(error)" } ?? "\(error)")
    }

    init(_ error: FleetStoreError) {
        switch error {
        case .nats(let error): self.init(error)
        case .unreadable, .brokenImage: self.init(.badData, "\(error)")
        case .noStore: self.init(.unavailable, "\(error)")
        }
    }
}
