import BLEOTA
import BLEOTAWire

extension SMPError {
    /// The code for a client whose upload ends in this error. The log of this device has the real
    /// reason.
    init(_ error: TransferError) {
        self =
            switch error.problem {
            case .refused(let reason, _): SMPError(reason)
            case .refusedByDevice: .image(.unusableTLV)
            case .source(let error):
                switch error.code {
                case .unsuitable: .image(.wrongMagic)
                case .malformedMCUboot, .malformedBundle: .image(.invalidHeader)
                default: .image(.writeFailed)
                }
            case .store(let error):
                switch error.code {
                case .busy: .busy
                case .noSpace: .image(.noFreeSlot)
                case .tooLarge: .image(.tooLarge)
                case .malformedManifest, .unknownAttribute, .imageMismatch, .manifestMismatch:
                    .image(.invalidHeader)
                default: .image(.writeFailed)
                }
            default: SMPError(group: nil, code: Code.unknown)
            }
    }

    private init(_ reason: Reason) {
        self =
            switch reason {
            case .busy, .notNow: .busy
            case .noSpace: .image(.noFreeSlot)
            case .tooLarge: .image(.tooLarge)
            case .downgrade: .image(.notNewer)
            case .badSignature, .untrustedKey, .unsigned: .image(.unusableTLV)
            case .imageMismatch, .malformedManifest, .unknownAttribute: .image(.invalidHeader)
            default: .denied
            }
    }

    init(_ error: UploadIntake.SlotError) {
        self =
            switch error {
            case .unknownHash: .image(.unknownHash)
            case .runsAlready: .image(.runsAlready)
            case .unknownImage: .image(.confirmationDenied)
            case .isInstalling: .busy
            case .isProtected: .denied
            case .wrongSlot: .image(.unknownSlot)
            case .failed(let error): SMPError(error)
            }
    }
}
