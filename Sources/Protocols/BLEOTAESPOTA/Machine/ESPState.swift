import BLEOTACore

/// The states of the transfer of an image. All but `unlinked` and `finished` have a link.
enum ESPState: ~Copyable {
    /// There is no link.
    case unlinked
    /// A request to the device was sent, or is to be sent.
    case asking(Asking)
    /// Sectors are being sent.
    case streaming(Streaming)
    /// The device restarts.
    case finished(isReported: Bool)

    /// A request to the device.
    enum Question: Hashable {
        case start
        /// Stop an update that the device is in the middle of.
        case forget
        /// Report which sector the device expects.
        ///
        /// - Parameter isAfterStart: whether no sector has been sent over this link yet. Never true
        ///   on the first link.
        case position(isAfterStart: Bool)
        /// Drop the device's part of this sector.
        case clear(sector: Int)
        /// End the update, since the device has every sector.
        case stop

        func action(_ context: ESPContext) -> ESPAction {
            switch self {
            case .start: .command(ESPMessage.start(byteCount: context.firmware.count))
            case .forget, .stop: .command(ESPMessage.stop)
            case .position: .packet(ESPSector.broken(ESPSector.indexOfNone), isRequest: true)
            case .clear(let sector): .packet(ESPSector.broken(sector), isRequest: true)
            }
        }

        /// How long the device may take to answer.
        func limit(_ context: ESPContext) -> Microseconds {
            switch self {
            case .start, .stop: max(context.silenceLimit, ESPTransfer.workLimit)
            case .forget, .position, .clear: context.silenceLimit
            }
        }

        /// The number of times that the request may be sent. A device may lose packets, but not
        /// commands.
        var askCountMax: Int {
            switch self {
            case .start, .forget, .stop: 1
            case .position, .clear: 3
            }
        }
    }

    struct Asking: ~Copyable {
        let question: Question
        var isDue = true
        var askedAt: Instant
        var askCount = 0
    }

    struct Streaming: ~Copyable {
        /// The sector whose packets are being sent, or the next one.
        var sector: Int
        /// The packets of this sector that are still to be sent, the next one last.
        var packets: [[UInt8]] = []
        /// When the last packet was sent, or the last sector was answered.
        var lastNewsAt: Instant
    }

    static func asking(_ question: Question, at now: Instant) -> ESPState {
        .asking(Asking(question: question, askedAt: now))
    }

    static func streaming(from sector: Int, at now: Instant) -> ESPState {
        .streaming(Streaming(sector: sector, lastNewsAt: now))
    }

    mutating func linkUp(at now: Instant) {
        switch consume self {
        case .finished(let isReported): self = .finished(isReported: isReported)
        default: self = .asking(.start, at: now)
        }
    }

    /// - Parameter hasEnded: whether the link ended without being closed by this side.
    mutating func linkDown(hasEnded: Bool) {
        switch consume self {
        case .finished(let isReported): self = .finished(isReported: isReported)
        // Devices restart once they have every sector, many of them before they answer Stop.
        case .asking(let asking) where hasEnded && asking.question == .stop:
            self = .finished(isReported: false)
        default: self = .unlinked
        }
    }
}
