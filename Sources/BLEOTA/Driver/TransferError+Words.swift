import BLEOTACore
import BLEOTAWire

extension TransferError {
    /// Describes in one sentence why the verified image does not run.
    static func sentence(notRunning why: NotRunning) -> String {
        switch why {
        case .unknown: "The device has verified the image, but does not say what it runs."
        case .failed: "The device has verified the image, but could not install it."
        case .reverted: "The device ran the image and went back to another one."
        case .notInTime:
            "The device has verified the image, but has not confirmed in time that it runs."
        }
    }

    /// Describes in one sentence why the session ended with `reason`.
    static func sentence(refusal reason: Reason, detail: UInt64) -> String {
        switch reason {
        case .version:
            "The receiver speaks protocol versions \(detail & 0xFF) to \(detail >> 8 & 0xFF), "
                + "and this is version \(ProtocolVersion.current)."
        case .malformedManifest: "The receiver says that the manifest is malformed."
        case .unknownAttribute:
            "The receiver does not know attribute \(detail) of the manifest, which it must."
        case .busy: "The receiver is at another transfer."
        case .noSpace: "The image does not fit the receiver, which has \(detail) bytes free."
        case .storeFailed: "The receiver can't use its store (system error \(detail))."
        case .tooLarge:
            "The image, its manifest or one of its blocks is larger than the receiver takes "
                + "(its limit is \(detail) bytes)."
        case .manifestMismatch: "What arrived as manifest was never what was announced."
        case .blockMismatch: "Block \(detail) of the image never had its hash."
        case .imageMismatch: "The image as stored does not have its hash."
        case .unsigned: "The receiver takes signed images only."
        case .notNow: "The receiver does not take images now."
        case .untrustedKey: "The receiver trusts none of the keys that signed the image."
        case .badSignature:
            "A signature of the image is not right, so the bundle was changed after it was "
                + "signed, or damaged."
        case .wrongHardware: "The image is not for this hardware, or does not say for which."
        case .wrongComponent: "The image is for another part of the device."
        case .downgrade:
            "The image has a security counter below \(detail), the lowest that the receiver "
                + "takes."
        case .unsupportedEncoding:
            "The receiver can't undo the encoding of the image, and was offered no other forms "
                + "of it."
        case .wrongBase:
            "The image is a patch, and the receiver runs another base than it is against."
        case .wrongRecipient: "The image is sealed, and not for this receiver."
        case .mostlyHeld:
            "The receiver has most of the image and takes it as it is, of which less is "
                + "missing."
        case .expired: "The image has expired."
        case .cancelled: "The peer stopped the transfer."
        case .withdrawn:
            "The sender took the transfer back, as a benchmark does, and nothing of it is kept."
        case .silent, .stalled: "The peer gave up waiting for this side."
        case .sourceFailed: "The sender can't read its image any more."
        default:
            "The peer ended the transfer for a reason this release does not know "
                + "(\(reason.rawValue))."
        }
    }
}
