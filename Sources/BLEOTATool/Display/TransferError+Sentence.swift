import BLEOTA
import BLEOTACore
import BLEOTAWire

extension TransferError {
    /// One sentence: what happened and what to do next.
    var sentence: String {
        switch problem {
        case .linkLost(.refused), .source, .store, .cannotConnect, .wrongAddress, .nobodyThere,
            .serial:
            description
        case .cannotListen(_, .system(call: "pthread_create", let errno)):
            "The system refuses threads to this process (\(errno)); allow its user more processes, "
                + "or it more memory."
        case .cannotListen(let path, .system(_, let errno)):
            "Can't listen at \(path) (\(errno)); name a socket in a directory that exists and can "
                + "be written."
        case .cannotListen, .cannotAccept: description
        case .peerNotUnderstood: "\(description) Check that the other end is bleota."
        case .cancelled: "Stopped; \(Self.again)."
        default: description.dropLast() + "; \(remedy)."
        }
    }

    private static let again =
        "run the same command again, and it goes on from what is stored"

    private var remedy: String {
        switch problem {
        case .silent: "check that it is running and in range, then \(Self.again)"
        case .stalled: "free it from what it is doing, then \(Self.again)"
        case .protocolViolated:
            "update its software, or look at the frames with bleota decode"
        case .wrongReceipt: "do not trust it, and check what it is"
        case .noSuchObject: "start it with --offer, or ask for a name that it has"
        case .notRunning(let why): Self.remedy(notRunning: why)
        case .refused(let reason, _): Self.remedy(refusal: reason)
        default: Self.again
        }
    }

    private static func remedy(notRunning why: NotRunning) -> String {
        switch why {
        case .unknown: "have its receiver install images, or tell it with bleota confirm"
        case .failed: "look at its messages, then push again"
        case .reverted: "look at its messages before you push again"
        case .notInTime: "run the same command again to go on waiting"
        }
    }

    private static func remedy(refusal reason: Reason) -> String {
        switch reason {
        case .version: "update the older of the two"
        case .malformedManifest: "use the same release of bleota on both sides"
        case .unknownAttribute: "update the receiver"
        case .busy: "try again when that has ended"
        case .noSpace: "make room there or send a smaller image"
        case .storeFailed: "look at its disk and its messages, then try again"
        case .tooLarge: "send a smaller one or raise its limit"
        case .manifestMismatch: "check the link and the memory of both sides"
        case .blockMismatch:
            "the file changed while it was sent, or memory is faulty: check the file and try "
                + "again"
        case .imageMismatch: "check the receiver's storage, then try again"
        case .unsigned: "sign the image with bleota sign, or allow unsigned ones there"
        case .notNow: "try again later"
        case .untrustedKey: "sign it with a key that it trusts, or let it trust this one"
        case .badSignature: "get it again from its maker"
        case .wrongHardware: "send the one for it, or sign it with --hardware"
        case .wrongComponent: "send the one for this part"
        case .downgrade: "send a newer image"
        case .unsupportedEncoding:
            "sign it without --base or --seal-for, or give the receiver a key with --unseal"
        case .wrongBase: "sign a bundle that has the whole image too"
        case .wrongRecipient: "seal it for its key with --seal-for"
        case .mostlyHeld: "a sender that has it compressed only has to push the image itself"
        case .expired: "send a newer one, and check the receiver's clock if it has not"
        case .cancelled: again
        case .withdrawn: "push an image to have one here"
        case .silent, .stalled: again
        case .sourceFailed: "check the file there, then try again"
        default: "update this side"
        }
    }
}
