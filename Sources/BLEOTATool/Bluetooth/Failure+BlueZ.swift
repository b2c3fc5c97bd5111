#if BlueZ
import BLEOTABlueZ
import BlueZ

extension Failure {
    init(_ error: BlueZError) { self.init(ExitStatus(error), error.sentence) }

    init(_ error: DeviceSearchError) {
        if case .daemon(let error) = error {
            self.init(error)
        } else {
            self.init(.noTarget, error.sentence)
        }
    }
}

extension BlueZError {
    /// One sentence: what happened and what to do next.
    fileprivate var sentence: String {
        switch self {
        case .missing: description.withRemedy("use bleota inspect to list what the device has")
        case .att:
            description.withRemedy(
                "use bleota inspect to check what the characteristic supports"
            )
        default: description
        }
    }
}

extension DeviceSearchError {
    /// One sentence: what happened and what to do next.
    fileprivate var sentence: String {
        switch self {
        case .none:
            description.withRemedy(
                "bring the device into range, and use bleota scan to check that it advertises"
            )
        case .several: description.withRemedy("choose one by its address with --device")
        case .daemon: description
        }
    }
}

extension ExitStatus {
    fileprivate init(_ error: BlueZError) {
        self =
            switch error {
            case .cancelled: .signalled
            case .permissionDenied: .noPermission
            case .att, .invalid, .needsPairing, .pairingFailed: .refused
            case .failed: .inputOutput
            case .disconnected, .busy, .timedOut, .locked: .interrupted
            case .noBus, .noDaemon, .noAdapter, .adapterOff, .adapterBlocked, .adapterUnsupported,
                .objectGone, .missing, .connectionFailed, .notSupported:
                .noTarget
            }
    }
}
#endif
