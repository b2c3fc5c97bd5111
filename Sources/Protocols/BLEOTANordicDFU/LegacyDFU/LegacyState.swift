import BLEOTACore

/// The states of the transfer of one image. All but `unlinked` and `finished` have a link.
enum LegacyState: ~Copyable {
    /// There is no link.
    case unlinked
    /// A request to the device was sent, or is to be sent.
    case asking(Asking)
    /// Firmware is being sent.
    case streaming(Streaming)
    /// The device has verified the image, and is to be asked to run it.
    case activating
    /// The device restarts to boot the image.
    case finished(isReported: Bool)

    /// A request to the device.
    enum Question: Hashable {
        case start
        case initPacket
        case validation
        /// The device does not answer, but ends the link.
        case reset

        var request: UInt8 {
            switch self {
            case .start: LegacyMessage.Request.start
            case .initPacket: LegacyMessage.Request.initPacket
            case .validation: LegacyMessage.Request.validate
            case .reset: LegacyMessage.Request.reset
            }
        }

        var step: DFUStep {
            switch self {
            case .start, .reset: .start
            case .initPacket: .initPacket
            case .validation: .validation
            }
        }
    }

    struct Asking: ~Copyable {
        let question: Question
        /// The values that are still to be sent.
        var due: [DFUAction]
        /// When the request became due.
        let askedAt: Instant
    }

    struct Streaming: ~Copyable {
        /// The values that are to be sent before the firmware.
        var due: [DFUAction]
        var sentOffset = 0
        var lastSentAt: Instant
    }

    static func asking(_ question: Question, _ due: [DFUAction], at now: Instant) -> LegacyState {
        .asking(Asking(question: question, due: due, askedAt: now))
    }

    mutating func linkUp(context: inout LegacyContext, at now: Instant) {
        switch consume self {
        case .finished(let isReported): self = .finished(isReported: isReported)
        default:
            context.linkUp(at: now)
            self = .asking(.start, LegacyMessage.start(context.part), at: now)
        }
    }

    mutating func linkDown() {
        switch consume self {
        case .finished(let isReported): self = .finished(isReported: isReported)
        default: self = .unlinked
        }
    }
}
