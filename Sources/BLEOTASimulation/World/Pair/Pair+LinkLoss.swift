import BLEOTACore

/// The loss of a radio link, and the next connection.
extension Pair {
    /// Handles an end's supervision timeout: its host reports the loss, and its machine stops.
    func loseLink(at end: RadioLink<Carried>.End) {
        trace.note("=== the \(end) loses the link", at: now)
        if lostEnds.isEmpty, verifiedAt == nil, isLinkUp { noteInterruption() }
        lostEnds.insert(end)
        isLinkUp = false
        // After the verification of the image, the link is no longer needed.
        if verifiedAt == nil {
            switch end {
            case .central: loseSender()
            case .peripheral: loseReceiver()
            }
        }
        guard lostEnds.count == 2, let supervision = scenario.radio?.supervision else { return }
        linkLossCount += 1
        linkNumber += 1
        endRadio()
        if verifiedAt == nil { queue.put(.reconnect, at: now + supervision.reconnection) }
    }

    /// Ends a radio link; its queued data is lost.
    func endRadio() {
        earlierQueueByteCountMax = hostQueueByteCountMax
        radio = nil
        lostEnds = []
    }

    /// Connects again; if a fade is in progress, waits for its end first.
    func reconnect() {
        guard let settings = scenario.radio, radio == nil else { return }
        let fade = Fade.merged(isHealed ? [] : settings.fades).first { $0.contains(now) }
        if let fade { return queue.put(.reconnect, at: fade.end) }
        radio = RadioLink(
            isHealed ? settings.healed : settings,
            connectedAt: now,
            exchangesMTU: true
        )
    }
}
