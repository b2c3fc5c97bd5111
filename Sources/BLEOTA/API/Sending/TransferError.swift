import BLEOTACore
import BLEOTAManifest
package import BLEOTAWire
package import SystemPackage

/// Why a push or a pull did not end in a verified image, or a receiver could not serve: what
/// happened, and whose fault it is.
///
/// ```swift
/// do {
///     if arguments[1] == "--bluetooth" {
///         try await push(arguments[0], toDeviceNamed: arguments.last)
///     } else {
///         try await pushWithProgress(arguments[0], to: .socket(arguments[1]))
///     }
/// } catch let error as TransferError where error.isRetryable {
///     // What the device has stored stays there, and the same push goes on from it.
///     print("\(error) Push again to go on.")
///     exit(75)
/// } catch {
///     print(error)
///     exit(1)
/// }
/// ```
public struct TransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Its `rawValue` is stable, for logs and for other programs. Codes may be
    /// added, so a switch over them needs a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `linkLost`.
        public let rawValue: String
        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name of the code.
        public var description: String { rawValue }

        /// The receiver refuses the image; ``TransferError/refusal`` says why.
        public static let refused = Code(rawValue: "refused")
        /// The link ended and could not be made again in time.
        public static let linkLost = Code(rawValue: "linkLost")
        /// The peer was silent for too long.
        public static let silent = Code(rawValue: "silent")
        /// The peer answered, and the transfer got no further for too long.
        public static let stalled = Code(rawValue: "stalled")
        /// The peer broke the protocol, or speaks another one.
        public static let protocolViolated = Code(rawValue: "protocolViolated")
        /// The peer claims to have verified another image than the one that was sent.
        public static let wrongImageVerified = Code(rawValue: "wrongImageVerified")
        /// The peer does not offer what was asked for.
        public static let noSuchObject = Code(rawValue: "noSuchObject")
        /// The firmware can't be read, or changed while it was sent.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The store of this side can't keep what arrives.
        public static let storeFailed = Code(rawValue: "storeFailed")
        /// The link can't be made, or nobody is at the other end.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// Peers can't come: the place to listen at is taken, is none, or the system refuses it.
        public static let cannotListen = Code(rawValue: "cannotListen")
        /// The image is verified, and the device does not run it.
        public static let notRunning = Code(rawValue: "notRunning")
        /// This side was told to stop.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// What went wrong, with all that is known of it.
    package enum Problem: Sendable, Hashable {
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
        case source(FirmwareError)
        /// The store can't keep what arrives.
        case store(StoreError)
        /// The link can't be made.
        case cannotConnect(String)
        /// Nobody is at the other end now, which may change in a moment.
        case nobodyThere(String)
        /// The serial line can't be opened.
        case serial(SerialError)
        /// A receiver can't listen at this path.
        case cannotListen(FilePath, SocketError)
        /// A receiver that listened can't go on.
        case cannotAccept(SocketError)
        /// The image is verified, and the device does not run it.
        case notRunning(NotRunning)
        /// This side was told to stop. Everything durable is kept.
        case cancelled
    }

    /// What went wrong, with all that is known of it.
    package let problem: Problem

    /// Makes an error.
    package init(_ problem: Problem) { self.problem = problem }

    /// The kind of error.
    public var code: Code {
        switch problem {
        case .refused: .refused
        case .linkLost: .linkLost
        case .silent: .silent
        case .stalled: .stalled
        case .protocolViolated, .peerNotUnderstood: .protocolViolated
        case .wrongReceipt: .wrongImageVerified
        case .noSuchObject: .noSuchObject
        case .source: .unreadable
        case .store: .storeFailed
        case .cannotConnect, .nobodyThere, .serial: .cannotConnect
        case .cannotListen, .cannotAccept: .cannotListen
        case .notRunning: .notRunning
        case .cancelled: .cancelled
        }
    }

    /// Why the receiver refuses the image; `nil` for other errors.
    public var refusal: RefusalReason? {
        guard case .refused(let reason, _) = problem else { return nil }
        return RefusalReason(reason)
    }

    /// Whether the same transfer may succeed when it is begun again as it is: it then goes on from
    /// what is stored.
    public var isRetryable: Bool {
        switch problem {
        case .linkLost(.refused): false
        case .linkLost, .silent, .stalled, .cancelled, .cannotConnect, .nobodyThere, .serial: true
        case .notRunning(let why): why == .notInTime
        case .refused(let reason, _):
            reason == .busy || reason == .notNow || reason == .cancelled
                || reason == .silent || reason == .stalled
        case .protocolViolated, .peerNotUnderstood, .wrongReceipt, .noSuchObject, .source, .store,
            .cannotListen, .cannotAccept:
            false
        }
    }

    /// One sentence: what happened.
    public var description: String {
        switch problem {
        case .refused(let reason, let detail): Self.sentence(refusal: reason, detail: detail)
        case .linkLost(.refused(let sentence)): sentence
        case .linkLost(let reason): "The link ended (\(reason))."
        case .silent: "The peer has not answered for too long."
        case .stalled: "The peer answers, but the transfer gets no further."
        case .protocolViolated: "The peer sent an acknowledgement that can't be true."
        case .peerNotUnderstood(let sentence): sentence
        case .wrongReceipt: "The peer says that it verified another image than this one."
        case .noSuchObject: "The peer does not offer anything under that name."
        case .source(let error): error.description
        case .store(let error): error.description
        case .cannotConnect(let sentence), .nobodyThere(let sentence): sentence
        case .serial(let error): error.description
        case .cannotListen(_, let error), .cannotAccept(let error): error.description
        case .notRunning(let why): Self.sentence(notRunning: why)
        case .cancelled: "The transfer was stopped."
        }
    }
}

extension TransferError {
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
}
