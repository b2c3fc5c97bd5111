#if BlueZ
import BLEOTABlueZ
import BlueZ

extension Failure {
    init(_ error: BlueZError) { self.init(ExitStatus(error), error.description) }

    init(_ error: DeviceSearchError) {
        if case .daemon(let error) = error {
            self.init(error)
        } else {
            self.init(.noTarget, error.description)
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
