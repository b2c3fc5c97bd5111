import FleetSetup
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
    /// Whether servers fail like this that have no leader.
    let isLackOfLeader: Bool

    init(_ status: ExitStatus, _ sentence: String, isLackOfLeader: Bool = false) {
        self.status = status
        self.isLackOfLeader = isLackOfLeader
        self.sentence = sentence.hasSuffix(".") ? sentence : sentence + "."
    }

    /// - Parameter role: whose work it was, for the advice.
    init(_ error: NATSError, doing what: String? = nil, as role: Role = .operator) {
        let status: ExitStatus =
            switch error {
            case .wrongArgument: .usage
            case .busy, .revisionConflict, .timeout, .notFound, .noLeader: .temporary
            case .cancelled: .interrupted
            case .exists, .serverTooOld, .refused, .disconnected, .closed: .unavailable
            case .refusedCredentials, .refusedCertificate, .notPermitted: .noPermission
            case .noSeed(let problem, _): Self.status(of: problem.cause)
            case .unreadableFile(_, let error): Self.status(of: .system(error))
            case .failed: .software
            }
        var happened = what.map { "\($0): \(error)" } ?? "\(error)"
        // Some reasons of the C library are sentences.
        if happened.hasSuffix(".") { happened.removeLast() }
        self.init(
            status,
            Self.remedy(for: error, role).map { "\(happened); \($0)" } ?? happened,
            isLackOfLeader: error.isLackOfLeader
        )
    }

    /// That servers ask for a key, and the user gave no seed.
    static func noSeed(for places: String, _ role: Role) -> ToolFailure {
        ToolFailure(
            .noPermission,
            "connecting to \(places): the servers ask for a key, and no seed was given; give "
                + "\(role.seedName) with --seed, or with \(ServerOptions.seedEnvironmentName)"
        )
    }

    /// The same as at the start, when the file is read for the first time.
    private static func status(of cause: SeedProblem.Cause) -> ExitStatus {
        switch cause {
        case .system(EACCES), .system(EPERM): .noPermission
        case .system: .inputOutput
        case .noSeed: .badData
        }
    }

    /// What can be done about it; `nil` where the error says so itself, or nothing helps.
    private static func remedy(for error: NATSError, _ role: Role) -> String? {
        switch error {
        case .timeout:
            "if a server has just died, another leads in a few seconds: run the same command again; "
                + "if it stays so, look whether most of the servers run"
        case .disconnected:
            "check the address, whose port is the one for clients (4222 by default), and whether a "
                + "nats-server runs there"
        case .refusedCredentials:
            "these servers don't know this key: give them the accounts.conf that has it, or give "
                + "\(role.seedName) of this fleet with --seed"
        case .refusedCertificate:
            "name the servers as their certificates do, and give the certificate of their "
                + "authority with --tls-ca, or with \(ServerOptions.authoritiesEnvironmentName)"
        case .notPermitted: "give \(role.seedName) with --seed"
        case .unreadableFile:
            "check the paths of --tls-ca (or \(ServerOptions.authoritiesEnvironmentName)), "
                + "--tls-cert and --tls-key"
        case .noSeed: "put the file there again, and start this again"
        case .closed: "look whether the servers still know the key of this user"
        case .noLeader:
            "run the same command again when most of the servers run and have found one another "
                + "(systemctl status nats on each)"
        case .notFound: "if bleota-fleet init has just run, run this again"
        case .wrongArgument, .busy, .cancelled, .revisionConflict, .exists, .serverTooOld, .refused,
            .failed:
            nil
        }
    }

    init(_ error: FleetStoreError, as role: Role = .operator) {
        switch error {
        case .nats(let error): self.init(error, as: role)
        case .unreadable, .brokenImage: self.init(.badData, "\(error)")
        case .noStore: self.init(.unavailable, "\(error)")
        }
    }
}

extension Role {
    /// The name that bleota-fleet init gives the file with the role's seed.
    fileprivate var seedName: String { "\(name).seed" }
}
