import BLEOTACore

/// A radio link that ends by itself, and the next one.
extension Pair {
    /// An end has heard nothing for too long: its host says so, and its machine goes.
    func loseLink(at end: RadioLink<Carried>.End) {
        trace.note("=== the \(end) loses the link", at: now)
        if lostEnds.isEmpty, verifiedAt == nil, isLinkUp { noteInterruption() }
        lostEnds.insert(end)
        isLinkUp = false
        // With the image verified, nobody misses the link any more.
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

    /// What waited in its queues is gone with a link.
    func endRadio() {
        earlierQueueByteCountMax = hostQueueByteCountMax
        radio = nil
        lostEnds = []
    }

    /// A connection is made, unless a fade is in its way; then it is as soon as that is over.
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
