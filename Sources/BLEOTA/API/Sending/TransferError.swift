import BLEOTACore
import BLEOTAManifest
package import BLEOTAWire
package import SystemPackage

/// The reason a push or a pull did not end with a verified image, or the reason a receiver
/// could not serve.
///
/// ```swift
/// do {
///     if arguments[1] == "--bluetooth" {
///         try await push(arguments[0], toDeviceNamed: arguments.last)
///     } else {
///         try await pushWithProgress(arguments[0], to: .socket(arguments[1]))
///     }
/// } catch let error as TransferError where error.isRetryable {
///     // What the device has stored stays there, and the same push resumes from it.
///     print("\(error) Push again to resume.")
///     exit(75)
/// } catch {
///     print(error)
///     exit(1)
/// }
/// ```
public struct TransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Its `rawValue` is stable, for logs and other programs. Later releases
    /// may add codes, so a switch over them needs a default case.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `linkLost`.
        public let rawValue: String
        /// Creates the code with the given name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name of the code.
        public var description: String { rawValue }

        /// The receiver refuses the image; ``TransferError/refusal`` gives the reason.
        public static let refused = Code(rawValue: "refused")
        /// The link ended and could not be restored in time.
        public static let linkLost = Code(rawValue: "linkLost")
        /// The peer sent nothing valid for too long.
        public static let silent = Code(rawValue: "silent")
        /// The peer answered, but the transfer made no progress for too long.
        public static let stalled = Code(rawValue: "stalled")
        /// The peer violated the protocol, or speaks another one.
        public static let protocolViolated = Code(rawValue: "protocolViolated")
        /// The peer reports that it has verified an image other than the one sent.
        public static let wrongImageVerified = Code(rawValue: "wrongImageVerified")
        /// The peer does not serve the requested image.
        public static let noSuchObject = Code(rawValue: "noSuchObject")
        /// The firmware could not be read, or it changed during the transfer.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The local store can't keep the incoming image.
        public static let storeFailed = Code(rawValue: "storeFailed")
        /// The link can't be established, or no peer is there.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// The receiver can't listen: the address is in use or invalid, or the system refuses
        /// it.
        public static let cannotListen = Code(rawValue: "cannotListen")
        /// The image is verified, but the device does not run it.
        public static let notRunning = Code(rawValue: "notRunning")
        /// The device speaks no update protocol that can transfer the image.
        public static let unsupported = Code(rawValue: "unsupported")
        /// This side was asked to stop.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// The problem in full detail.
    package enum Problem: Sendable, Hashable {
        /// The receiver refuses this image or manifest for this reason.
        case refused(Reason, detail: UInt64)
        /// The device refuses this image, in the terms of another protocol.
        case refusedByDevice(DeviceRefusal)
        /// The device speaks no protocol that this push may use. The sentence names the
        /// protocols that it speaks.
        case noCommonProtocol(String)
        /// The link ended. The receiver keeps all durable data, and the same transfer resumes
        /// from it.
        case linkLost(CloseReason)
        /// The peer sent nothing valid for too long. The receiver keeps all durable data.
        case silent
        /// The peer answered but made no progress for too long. The receiver keeps all durable
        /// data.
        case stalled
        /// The peer violated the protocol.
        case protocolViolated
        /// The peer speaks another protocol or version, as the sentence describes.
        case peerNotUnderstood(String)
        /// The peer reports that it has verified another image.
        case wrongReceipt
        /// The peer does not serve the requested image.
        case noSuchObject
        /// The image could not be read, or it changed during the transfer.
        case source(FirmwareError)
        /// The store can't keep the incoming image.
        case store(StoreError)
        /// The link can't be established.
        case cannotConnect(String)
        /// No link can ever be established to the address.
        case wrongAddress(String)
        /// No peer is there at the moment, but one may soon appear.
        case nobodyThere(String)
        /// The serial line can't be opened.
        case serial(SerialError)
        /// A receiver can't listen on this path.
        case cannotListen(FilePath, SocketError)
        /// A receiver that was listening can no longer accept peers.
        case cannotAccept(SocketError)
        /// The image is verified, but the device does not run it.
        case notRunning(NotRunning)
        /// This side was asked to stop. The receiver keeps all durable data.
        case cancelled
    }

    /// The problem in full detail.
    package let problem: Problem

    /// Creates an error.
    package init(_ problem: Problem) { self.problem = problem }

    /// The kind of error.
    public var code: Code {
        switch problem {
        case .refused, .refusedByDevice: .refused
        case .noCommonProtocol: .unsupported
        case .linkLost: .linkLost
        case .silent: .silent
        case .stalled: .stalled
        case .protocolViolated, .peerNotUnderstood: .protocolViolated
        case .wrongReceipt: .wrongImageVerified
        case .noSuchObject: .noSuchObject
        case .source: .unreadable
        case .store: .storeFailed
        case .cannotConnect, .wrongAddress, .nobodyThere, .serial: .cannotConnect
        case .cannotListen, .cannotAccept: .cannotListen
        case .notRunning: .notRunning
        case .cancelled: .cancelled
        }
    }

    /// The reason the receiver refuses the image; `nil` for other errors.
    public var refusal: RefusalReason? {
        guard case .refused(let reason, _) = problem else { return nil }
        return RefusalReason(reason)
    }

    /// Whether the same transfer, started again unchanged, may succeed. The new transfer then
    /// resumes from the receiver's stored data.
    ///
    /// True for the codes `linkLost`, `silent`, `stalled`, `cancelled` and `cannotConnect`, for
    /// `notRunning` if the device did not report in time, and for `refused` if the receiver is
    /// busy, can't take an image now, or ended the session itself. False for `cannotConnect` if
    /// the address is not valid, such as a path that is too long, and for `linkLost` if the
    /// peer does not permit this side to send.
    public var isRetryable: Bool {
        switch problem {
        case .linkLost(.refused): false
        case .linkLost, .silent, .stalled, .cancelled, .cannotConnect, .nobodyThere, .serial: true
        case .notRunning(let why): why == .notInTime
        case .refused(let reason, _):
            reason == .busy || reason == .notNow || reason == .cancelled
                || reason == .silent || reason == .stalled
        case .refusedByDevice(let refusal): refusal.isRetryable
        case .protocolViolated, .peerNotUnderstood, .wrongReceipt, .noSuchObject, .source, .store,
            .wrongAddress, .cannotListen, .cannotAccept, .noCommonProtocol:
            false
        }
    }

    /// One sentence that states what happened.
    public var description: String {
        switch problem {
        case .refused(let reason, let detail): Self.sentence(refusal: reason, detail: detail)
        case .refusedByDevice(let refusal): refusal.statement + "."
        case .noCommonProtocol(let sentence): sentence
        case .linkLost(.refused(let sentence)): sentence
        case .linkLost(let reason): "The link ended (\(reason))."
        case .silent: "The peer does not respond."
        case .stalled: "The link is up, but the transfer is making no progress."
        case .protocolViolated: "The peer sent an impossible acknowledgement."
        case .peerNotUnderstood(let sentence): sentence
        case .wrongReceipt: "The peer reports that it verified a different image."
        case .noSuchObject: "The peer does not offer a file with that name."
        case .source(let error): error.description
        case .store(let error): error.description
        case .cannotConnect(let sentence), .wrongAddress(let sentence), .nobodyThere(let sentence):
            sentence
        case .serial(let error): error.description
        case .cannotListen(let path, .system(_, let errno)): "Can't listen on \(path): \(errno)."
        case .cannotListen(_, let error), .cannotAccept(let error): error.description
        case .notRunning(let why): Self.sentence(notRunning: why)
        case .cancelled: "The transfer was stopped."
        }
    }
}

extension TransferError {
    /// Creates the error for a receiver's session from its ending and from the store's error,
    /// if any.
    init(sessionEndedBy ending: SessionEnding, _ storeError: StoreError?) {
        if ending.isCancelledHere {
            self.init(.cancelled)
            return
        }
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
