import BLEOTACore
import BLEOTAWire

extension TransferError {
    /// Describes in one sentence why the verified image does not run.
    static func sentence(notRunning why: NotRunning) -> String {
        switch why {
        case .unknown: "The device has verified the image, but does not report what it is running."
        case .failed: "The device has verified the image, but could not install it."
        case .reverted: "The device ran the image, but reverted to another one."
        case .notInTime:
            "The device has verified the image, but did not confirm in time that it runs the "
                + "image."
        }
    }

    /// Describes in one sentence why the session ended with `reason`.
    static func sentence(refusal reason: Reason, detail: UInt64) -> String {
        switch reason {
        case .version:
            "The receiver supports protocol versions \(detail & 0xFF) to \(detail >> 8 & 0xFF), "
                + "but this side uses version \(ProtocolVersion.current)."
        case .malformedManifest: "The receiver reports that the manifest is malformed."
        case .unknownAttribute:
            "The manifest requires attribute \(detail), which the receiver does not support."
        case .busy: "The receiver is busy with another transfer."
        case .noSpace: "The image does not fit on the receiver, which has \(detail) bytes free."
        case .storeFailed: "The receiver can't use its store (system error \(detail))."
        case .tooLarge:
            "The image, its manifest or one of its blocks exceeds the receiver's limit of "
                + "\(detail) bytes."
        case .manifestMismatch: "The receiver never got the manifest that was announced."
        case .blockMismatch: "Block \(detail) of the image never matched its hash."
        case .imageMismatch: "The stored image does not match its hash."
        case .unsigned: "The receiver accepts only signed images."
        case .notNow: "The receiver accepts no images at the moment."
        case .untrustedKey: "The receiver trusts none of the keys that signed the image."
        case .badSignature:
            "A signature of the image is not valid, so the bundle was damaged, or changed after it "
                + "was signed."
        case .wrongHardware:
            "The image is for other hardware than the receiver's, or only the image or only the "
                + "receiver states its hardware."
        case .wrongComponent:
            "The image is for another component, or for one while the receiver has none."
        case .downgrade:
            "The image's security counter is below \(detail), the lowest that the receiver accepts."
        case .unsupportedEncoding:
            "The receiver can't decode the image, and was offered no other form of it."
        case .wrongBase:
            "The offered form is a patch against a base that is not the receiver's current image."
        case .wrongRecipient: "The image is sealed, but not for this receiver."
        case .mostlyHeld:
            "The receiver already has most of the image, so the missing part of the uncompressed "
                + "form is smaller than the compressed form."
        case .expired: "The image has expired."
        case .cancelled: "The peer stopped the transfer."
        case .withdrawn:
            "The sender withdrew the transfer, as a benchmark does."
        case .silent, .stalled: "The peer gave up waiting for this side."
        case .sourceFailed: "The sender can no longer read its image."
        default:
            "The peer ended the transfer for a reason unknown to this release (\(reason.rawValue))."
        }
    }
}
