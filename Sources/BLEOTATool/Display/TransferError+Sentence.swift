import BLEOTA
import BLEOTACore
import BLEOTAWire

extension TransferError {
    /// One sentence: what happened and what to do next.
    var sentence: String {
        switch problem {
        case .linkLost(.refused), .source, .store, .cannotConnect, .wrongAddress, .nobodyThere,
            .noCommonProtocol:
            description
        case .refusedByDevice(let refusal) where ["trial", "pending"].contains(refusal.code):
            "\(refusal.statement); \(refusal.remedy), or add --force."
        case .refusedByDevice(let refusal): "\(refusal.statement); \(refusal.remedy)."
        case .serial(let error): error.sentence
        case .cannotListen(_, .system(call: "pthread_create", let errno)):
            "The system refused to start a thread (\(errno)); raise the user's process limit, or "
                + "free memory."
        case .cannotListen(let path, .system(_, let errno)):
            "Can't listen on \(path) (\(errno)); choose a path in a directory that exists and is "
                + "writable."
        case .cannotListen, .cannotAccept: description
        case .peerNotUnderstood: "\(description) Check that the peer speaks the same protocol."
        case .cancelled: "Stopped; \(Self.again)."
        default: description.dropLast() + "; \(remedy)."
        }
    }

    private static let again =
        "run the same command again to resume"

    private var remedy: String {
        switch problem {
        case .silent: "check that the peer is running and in range, then \(Self.again)"
        case .stalled: "check what is keeping the peer busy, then \(Self.again)"
        case .protocolViolated:
            "update the peer's software, or record the frames with --trace and read them with "
                + "bleota decode"
        case .wrongReceipt: "don't trust the peer, and check what it is"
        case .noSuchObject: "start the peer with --offer FILE, or ask for a name that it offers"
        case .notRunning(let why): Self.remedy(notRunning: why)
        case .refused(let reason, _): Self.remedy(refusal: reason)
        default: Self.again
        }
    }

    private static func remedy(notRunning why: NotRunning) -> String {
        switch why {
        case .unknown:
            "start the device's receiver with a program that installs images, or run bleota "
                + "confirm on the device"
        case .failed: "check the device's log, which says whether another push can help"
        case .reverted: "check the device's log before you push again"
        case .notInTime: "run the same command again to keep waiting"
        }
    }

    private static func remedy(refusal reason: Reason) -> String {
        switch reason {
        case .version: "update whichever side is older"
        case .malformedManifest: "use the same release of bleota on both sides"
        case .unknownAttribute: "update the receiver"
        case .busy: "try again when that transfer has ended"
        case .noSpace: "make room on the receiver, or send a smaller image"
        case .storeFailed: "check the receiver's disk and log, then try again"
        case .tooLarge: "send a smaller image, or start bleota receive with a larger --max-size"
        case .manifestMismatch: "check the link and the memory of both sides"
        case .blockMismatch:
            "check the file and try again; it changed while it was being sent, or memory is faulty"
        case .imageMismatch: "check the receiver's storage, then try again"
        case .unsigned:
            "sign the image with bleota sign, or, to accept images from anyone, start bleota "
                + "receive with --allow-unsigned"
        case .notNow: "try again later"
        case .untrustedKey:
            "sign the image with a key that the receiver trusts, or start bleota receive with "
                + "--trust for your key"
        case .badSignature: "get the bundle again from its maker"
        case .wrongHardware:
            "sign the image for the receiver's hardware, or start bleota receive with --hardware "
                + "for one revision that the image is for"
        case .wrongComponent:
            "send an image for the receiver's component, or start the receiver with that of the "
                + "image"
        case .downgrade:
            "send a newer image, or sign this one with a --counter that is not lower"
        case .unsupportedEncoding:
            "sign the image without --base or --seal-for, or start bleota receive with --unseal"
        case .wrongBase: "sign a bundle that also has the whole image"
        case .wrongRecipient: "seal the image for the receiver's key with --seal-for"
        case .mostlyHeld:
            "push the image itself instead of a bundle that has only a compressed form"
        case .expired:
            "send a newer image, or check the receiver's clock if this image should still be valid"
        case .cancelled: again
        case .withdrawn: "push an image if the receiver should keep one"
        case .silent, .stalled: again
        case .sourceFailed: "check the file on the sender, then try again"
        default: "update this side"
        }
    }
}
