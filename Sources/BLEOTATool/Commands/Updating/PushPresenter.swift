import BLEOTA
import BLEOTAWire
import Synchronization

/// Shows the updates of a push by any protocol.
struct PushPresenter: Sendable {
    /// The name of the device in messages.
    let peer: String
    /// Whether to report links after the first. bleota's own connector reports its links itself.
    let tellsLinks: Bool
    /// Whether the push ends only once the device is running the image.
    let awaitsRunning: Bool
    let onProgress: @Sendable (TransferProgress) -> Void
    /// Receives an event and a line.
    let tell: @Sendable (JSONLine, String) -> Void
    private let isFirstLink = FirstTime()
    private let pushed = PushedImage()

    init(
        peer: String,
        tellsLinks: Bool,
        awaitsRunning: Bool,
        onProgress: @escaping @Sendable (TransferProgress) -> Void,
        tell: @escaping @Sendable (JSONLine, String) -> Void
    ) {
        self.peer = peer
        self.tellsLinks = tellsLinks
        self.awaitsRunning = awaitsRunning
        self.onProgress = onProgress
        self.tell = tell
    }

    @Sendable func show(_ update: PushUpdate) {
        switch update {
        case .connected:
            guard !isFirstLink.take(), tellsLinks else { return }
            tell(
                JSONLine(event: "reconnected").adding("path", peer),
                "connected     again to \(peer)"
            )
        case .progress(let progress): onProgress(progress)
        case .reconnecting: break
        case .notice(let sentence):
            tell(JSONLine(event: "notice").adding("message", sentence), "notice        \(sentence)")
        case .verified(let report):
            pushed.note(report.sha256)
            guard awaitsRunning else { return }
            tell(
                JSONLine(event: "verified").adding("sha256", HexText.text(report.sha256)),
                "verified      waiting for the device to run the image"
            )
        case .running(let image):
            let tag = image.tag == 0 ? "" : TransferTag(rawValue: image.tag).hex
            let isOther = pushed.isOther(thanThatWithTag: tag)
            tell(
                JSONLine(event: "device").adding("state", "\(image.state)").adding("tag", tag),
                "device        \(image.state.text)\(isOther ? ", another image" : "")"
            )
        case .confirmed: break
        }
    }
}

/// The image that was pushed, once it is known.
private final class PushedImage: Sendable {
    private let sha256 = Mutex("")

    func note(_ digest: [UInt8]) { sha256.withLock { $0 = HexText.text(digest) } }

    /// Whether a tag, in hexadecimal digits, belongs to another image.
    func isOther(thanThatWithTag tag: String) -> Bool {
        sha256.withLock { !tag.isEmpty && !$0.isEmpty && !$0.hasPrefix(tag) }
    }
}
