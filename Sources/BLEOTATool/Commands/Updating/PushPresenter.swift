import BLEOTA

/// Shows the updates of a push, by whatever protocol.
struct PushPresenter: Sendable {
    /// The name of the device in messages.
    let peer: String
    /// Whether to report links after the first. bleota's own connector reports its links itself.
    let tellsLinks: Bool
    /// Whether the push ends only after the device has run the image.
    let awaitsRunning: Bool
    let onProgress: @Sendable (TransferProgress) -> Void
    /// Receives an event and a line.
    let tell: @Sendable (JSONLine, String) -> Void
    private let isFirstLink = FirstTime()

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
            guard awaitsRunning else { return }
            tell(
                JSONLine(event: "verified").adding("sha256", HexText.text(report.sha256)),
                "verified      waiting for the device to run the image"
            )
        case .running(let image):
            tell(
                JSONLine(event: "device").adding("state", "\(image.state)"),
                "device        \(image.state.text)"
            )
        case .confirmed: break
        }
    }
}
