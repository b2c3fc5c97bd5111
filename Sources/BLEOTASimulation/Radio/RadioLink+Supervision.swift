import BLEOTACore

/// The supervision timeout (Bluetooth Core 5.4, volume 6, part B, 4.5.2): each end has a timer of
/// its own, which begins anew with each intact packet that it gets.
extension RadioLink {
    func isFaded(at moment: Instant) -> Bool { fade(at: moment) != nil }

    private func fade(at moment: Instant) -> Fade? { fades.first { $0.contains(moment) } }

    /// Which end's timer ends first, and when; `nil` if neither does in sight.
    var lossMoment: (moment: Instant, end: End)? {
        guard let timeout = settings.supervision?.timeout, lostEnds.count < 2 else { return nil }
        var first: (moment: Instant, end: End)?
        for end in [End.central, .peripheral] where !lostEnds.contains(end) {
            guard let moment = lossMoment(of: end, timeout) else { continue }
            if first.map({ moment < $0.moment }) ?? true { first = (moment, end) }
        }
        return first
    }

    /// An end gives the link up. What both had to send stays where it is.
    mutating func lose(_ end: End, at now: Instant) -> Report {
        if isIdle { noteIdleEvents(before: now) }
        lostEnds.insert(end)
        step = .none
        readyAt = nil
        return .lost(at: end)
    }

    private func lossMoment(of end: End, _ timeout: Microseconds) -> Instant? {
        let heardAt = sides[end.rawValue].heardAt
        guard isIdle else { return heardAt + timeout }
        for fade in fades where fade.end > heardAt {
            let heard = max(heardAt, idleEvent(before: fade.firstMoment) + delay(to: end))
            if idleEvent(from: fade.end) + delay(to: end) > heard + timeout {
                return heard + timeout
            }
        }
        return nil
    }

    // MARK: - Events without data

    private var isIdle: Bool {
        if case .none = step { readyAt == nil && lostEnds.isEmpty } else { false }
    }

    /// Both ends have heard the events in which neither had anything to say.
    mutating func noteIdleEvents(before now: Instant) {
        guard settings.supervision != nil else { return }
        let last = idleEvent(before: now)
        for end in [End.central, .peripheral] {
            sides[end.rawValue].heardAt = max(sides[end.rawValue].heardAt, last + delay(to: end))
        }
    }

    /// From the beginning of an event to the end of the empty packet that an end gets in it.
    private func delay(to end: End) -> Microseconds {
        let empty = settings.airTime(ofData: 0)
        return end == .peripheral
            ? empty : empty + settings.frameSpaces.centralToPeripheral + empty
    }

    /// The last event before a moment that comes through, or the first of all.
    private func idleEvent(before moment: Instant) -> Instant {
        var moment = moment
        while moment > anchor {
            let since = (moment - anchor).rawValue - 1
            let event = self.moment(ofEvent: since / settings.connectionInterval.rawValue)
            guard let fade = fade(at: event) else { return event }
            moment = fade.firstMoment
        }
        return anchor
    }

    /// The first event at a moment or after it that comes through.
    private func idleEvent(from moment: Instant) -> Instant {
        var moment = max(moment, anchor)
        while true {
            let interval = settings.connectionInterval.rawValue
            let number = ((moment - anchor).rawValue + interval - 1) / interval
            let event = self.moment(ofEvent: number)
            guard let fade = fade(at: event) else { return event }
            moment = fade.end
        }
    }
}
