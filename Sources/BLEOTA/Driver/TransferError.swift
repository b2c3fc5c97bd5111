public import BLEOTACore
import BLEOTAManifest

/// Why a transfer did not end in a verified image: whose fault it is, what happened, what to do.
public struct TransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Hashable {
        /// The receiver refuses this image or manifest, for this reason.
        case refused(Reason, detail: UInt64)
        /// The link ended. Everything durable is kept; the same transfer goes on from there.
        case linkLost(CloseReason)
        /// The peer was silent for too long. Everything durable is kept.
        case silent
        /// The peer answered, and did not get on for too long. Everything durable is kept.
        case stalled
        /// The peer broke the protocol.
        case protocolViolated
        /// What answers on the link speaks something else, as the sentence says.
        case peerNotUnderstood(String)
        /// The peer claims to have verified another image.
        case wrongReceipt
        /// The peer does not offer what was asked for.
        case noSuchObject
        /// The image can't be read, or changed while it was sent.
        case source(ImageError)
        /// The store can't keep what arrives.
        case store(StoreError)
        /// The link can't be made.
        case cannotConnect(String)
        /// Nobody is at the other end now, which may change in a moment.
        case nobodyThere(String)
        /// The serial line can't be opened.
        case serial(SerialError)
        /// The image is verified, and the device does not run it.
        case notRunning(NotRunning)
        /// This side was told to stop. Everything durable is kept.
        case cancelled
    }

    /// What went wrong.
    public let code: Code

    /// Makes an error.
    public init(_ code: Code) { self.code = code }

    /// Why a receiver's session ended, from how it ended and what the store said of it.
    init(sessionEndedBy ending: SessionEnding, _ storeError: StoreError?) {
        if let storeError, storeError.reason == ending.reason {
            if case .refused(let refusal) = storeError.code {
                self.init(.refused(refusal.reason, detail: refusal.detail))
            } else {
                self.init(.store(storeError))
            }
            return
        }
        switch ending.reason {
        case .silent: self.init(.silent)
        case .noSuchObject: self.init(.noSuchObject)
        default: self.init(.refused(ending.reason, detail: ending.detail))
        }
    }

    /// Whether the same transfer, begun again, goes on from what is durable.
    public var isResumable: Bool {
        switch code {
        case .linkLost(.refused): false
        case .linkLost, .silent, .stalled, .cancelled, .cannotConnect, .nobodyThere, .serial: true
        case .notRunning(let why): why == .notInTime
        case .refused(let reason, _):
            reason == .busy || reason == .notNow || reason == .cancelled
                || reason == .silent || reason == .stalled
        case .protocolViolated, .peerNotUnderstood, .wrongReceipt, .noSuchObject, .source, .store:
            false
        }
    }

    /// One sentence: what happened and what to do next.
    public var description: String {
        switch code {
        case .refused(let reason, let detail): Self.sentence(refusal: reason, detail: detail)
        case .linkLost(.refused(let sentence)): sentence
        case .linkLost(let reason):
            "The link ended (\(reason.sentence)); run the same command again, and it goes on from "
                + "what is stored."
        case .silent:
            "The peer has not answered for too long; check that it is running and in range, then "
                + "run the same command again, and it goes on from what is stored."
        case .stalled:
            "The peer answers, but the transfer gets no further; free it from what it is doing, "
                + "then run the same command again, and it goes on from what is stored."
        case .protocolViolated:
            "The peer sent an account of the transfer that can't be true; update its software, or "
                + "look at the frames with bleota decode."
        case .peerNotUnderstood(let sentence):
            "\(sentence) Check that the other end is bleota."
        case .wrongReceipt:
            "The peer says that it verified another image than this one; do not trust it, and "
                + "check what it is."
        case .noSuchObject:
            "The peer does not offer anything under that name; start it with --offer, or ask for a "
                + "name that it has."
        case .source(let error): error.description
        case .store(let error): error.description
        case .cannotConnect(let sentence), .nobodyThere(let sentence): sentence
        case .serial(let error): error.description
        case .notRunning(let why): Self.sentence(notRunning: why)
        case .cancelled:
            "Stopped; run the same command again, and it goes on from what is stored."
        }
    }

    private static func sentence(notRunning why: NotRunning) -> String {
        switch why {
        case .unknown:
            "The device has verified the image, but does not say what it runs; have its receiver "
                + "install images, or tell it with bleota confirm."
        case .failed:
            "The device has verified the image, but could not install it; look at its messages, "
                + "then push again."
        case .reverted:
            "The device ran the image and went back to another one; look at its messages before "
                + "you push again."
        case .notInTime:
            "The device has verified the image, but has not confirmed in time that it runs; run "
                + "the same command again to go on waiting."
        }
    }

    private static func sentence(refusal reason: Reason, detail: UInt64) -> String {
        switch reason {
        case .version:
            "The receiver speaks protocol versions \(detail & 0xFF) to \(detail >> 8 & 0xFF), and "
                + "this is version \(ProtocolVersion.current); update the older of the two."
        case .malformedManifest:
            "The receiver says that the manifest is malformed; use the same release of bleota on "
                + "both sides."
        case .unknownAttribute:
            "The receiver does not know attribute \(detail) of the manifest, which it must; update "
                + "the receiver."
        case .busy:
            "The receiver is at another transfer; try again when that has ended."
        case .noSpace:
            "The image does not fit the receiver, which has \(detail) bytes free; make room there "
                + "or send a smaller image."
        case .storeFailed:
            "The receiver can't use its store (system error \(detail)); look at its disk and its "
                + "messages, then try again."
        case .tooLarge:
            "The image, its manifest or one of its blocks is larger than the receiver takes (its "
                + "limit is \(detail) bytes); send a smaller one or raise its limit."
        case .manifestMismatch:
            "What arrived as manifest was never what was announced; check the link and the memory "
                + "of both sides."
        case .blockMismatch:
            "Block \(detail) of the image never had its hash; the file changed while it was sent, "
                + "or memory is faulty: check the file and try again."
        case .imageMismatch:
            "The image as stored does not have its hash; check the receiver's storage, then try "
                + "again."
        case .unsigned:
            "The receiver takes signed images only; sign the image with bleota sign, or allow "
                + "unsigned ones there."
        case .notNow:
            "The receiver does not take images now; try again later."
        case .untrustedKey:
            "The receiver trusts none of the keys that signed the image; sign it with a key that "
                + "it trusts, or let it trust this one."
        case .badSignature:
            "A signature of the image is not right, so the bundle was changed after it was signed, "
                + "or damaged; get it again from its maker."
        case .wrongHardware:
            "The image is not for this hardware, or does not say for which; send the one for it, "
                + "or sign it with --hardware."
        case .wrongComponent:
            "The image is for another part of the device; send the one for this part."
        case .downgrade:
            "The image has a security counter below \(detail), the lowest that the receiver takes; "
                + "send a newer image."
        case .unsupportedEncoding:
            "The receiver can't undo the encoding of the image, and was offered no other "
                + "forms of it; sign it without --base or --seal-for, or give the receiver a key "
                + "with --unseal."
        case .wrongBase:
            "The image is a patch, and the receiver runs another base than it is against; sign a "
                + "bundle that has the whole image too."
        case .wrongRecipient:
            "The image is sealed, and not for this receiver; seal it for its key with --seal-for."
        case .mostlyHeld:
            "The receiver has most of the image and takes it as it is, of which less is missing; "
                + "a sender that has it compressed only has to push the image itself."
        case .expired:
            "The image has expired; send a newer one, and check the receiver's clock if it has not."
        case .cancelled:
            "The peer stopped the transfer; run the same command again, and it goes on from what "
                + "is stored."
        case .withdrawn:
            "The sender took the transfer back, as a benchmark does, and nothing of it is kept; "
                + "push an image to have one here."
        case .silent, .stalled:
            "The peer gave up waiting for this side; run the same command again, and it goes on "
                + "from what is stored."
        case .sourceFailed:
            "The sender can't read its image any more; check the file there, then try again."
        default:
            "The peer ended the transfer for a reason this release does not know "
                + "(\(reason.rawValue)); update this side."
        }
    }
}

extension CloseReason {
    /// Why a link is of no more use, from what it threw.
    init(_ error: TransportError) {
        self =
            switch error {
            case .closed(let reason): reason
            case .inboundOverflow: .overflow
            case .cancelled: .local
            case .datagramTooLarge, .emptyDatagram: .failed("\(error)")
            }
    }

    /// The reason in a few words.
    var sentence: String {
        switch self {
        case .local: "closed by this side"
        case .remote: "closed by the peer, or the peer is gone"
        case .overflow: "more arrived than was taken"
        case .injected: "cut on purpose"
        case .failed(let sentence), .refused(let sentence): sentence
        }
    }
}
