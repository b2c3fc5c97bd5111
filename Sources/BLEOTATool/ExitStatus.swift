import ArgumentParser
import BLEOTA
import BLEOTAWire
import Glibc

/// The exit codes of the tool, based on sysexits.h.
enum ExitStatus: Int32 {
    case verified = 0
    /// A simulated transfer broke a rule, or a receiver's setup is not safe.
    case violated = 1
    case usage = 64
    case refused = 65
    case noTarget = 69
    case cannotCreate = 73
    case inputOutput = 74
    case interrupted = 75
    case protocolError = 76
    case noPermission = 77
    case hungUp = 129
    case signalled = 130
    case terminated = 143

    /// The status of a process that a signal told to stop: 128 plus the number of the signal, as in
    /// shells.
    init(signal number: Int32) {
        self =
            switch number {
            case SIGHUP: .hungUp
            case SIGTERM: .terminated
            default: .signalled
            }
    }

    init(_ error: TransferError) {
        self =
            switch error.problem {
            case .refused(let reason, _): Self(refusal: reason)
            case .refusedByDevice(let refusal): refusal.isRetryable ? .interrupted : .refused
            case .noCommonProtocol: .refused
            case .linkLost(.refused): .noPermission
            case .linkLost, .silent, .stalled: .interrupted
            case .protocolViolated, .peerNotUnderstood, .wrongReceipt: .protocolError
            case .noSuchObject, .cannotConnect, .wrongAddress, .nobodyThere: .noTarget
            case .serial(let error): Self(error)
            case .cannotListen(_, let error): Self(listening: error)
            case .cannotAccept: .inputOutput
            case .source(let error): Self(error)
            case .store(let error): Self(error)
            case .notRunning(let why): why == .notInTime ? .interrupted : .refused
            case .cancelled: .signalled
            }
    }

    init(_ error: SerialError) {
        self =
            switch error {
            case .noSuchDevice, .notASerialLine, .nobodyListens: .noTarget
            case .permissionDenied: .noPermission
            case .busy: .interrupted
            case .rateUnknown, .rateRefused, .rateOfSocket: .usage
            case .system: .inputOutput
            }
    }

    /// A lack of threads is a lack of resources; all other errors are about the path.
    private init(listening error: SocketError) {
        if case .system(call: "pthread_create", _) = error {
            self = .inputOutput
        } else {
            self = .cannotCreate
        }
    }

    init(_ error: FirmwareError) {
        self =
            switch error.code {
            case .empty, .tooLarge, .malformedHex, .malformedMCUboot, .malformedBundle,
                .malformedPackage,
                .notAsNamed, .unsuitable, .noSuchRegion:
                .refused
            case .unusableKey, .tooManySignatures, .alreadyDescribed: .usage
            case .cannotWrite: .cannotCreate
            default: .inputOutput
            }
    }

    init(_ error: StoreError) {
        self =
            switch error.code {
            case .cannotCreate: .cannotCreate
            case .busy: .interrupted
            case .storeFailed, .noSpace, .lost: .inputOutput
            default: .refused
            }
    }

    init(_ error: KeyError) {
        self =
            switch error.code {
            case .malformed, .notPrivate, .wrongKind: .usage
            case .exposed: .noPermission
            case .exists: .cannotCreate
            case .io: .inputOutput
            }
    }

    private init(refusal reason: Reason) {
        self =
            switch reason {
            case .version, .malformedAccount, .noSession: .protocolError
            case .busy, .notNow, .silent, .stalled, .cancelled, .withdrawn: .interrupted
            case .storeFailed, .sourceFailed: .inputOutput
            default: .refused
            }
    }
}

/// An error as the user sees it: one sentence and an exit code.
struct Failure: Error {
    let status: ExitStatus
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence.hasSuffix(".") ? sentence : sentence + "."
    }

    init(_ error: TransferError) { self.init(ExitStatus(error), error.sentence) }
    init(_ error: SerialError) { self.init(ExitStatus(error), error.sentence) }
    init(_ error: FirmwareError) { self.init(ExitStatus(error), error.description) }
    init(_ error: StoreError) { self.init(ExitStatus(error), error.description) }
    init(_ error: KeyError) { self.init(ExitStatus(error), error.sentence) }
}
