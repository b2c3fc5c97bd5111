import BLEOTACore

/// The supervision timeout (Bluetooth Core 5.4, volume 6, part B, 4.5.2). Each end has a timer,
/// which restarts whenever an intact packet arrives.
extension RadioLink {
    func isFaded(at moment: Instant) -> Bool { fade(at: moment) != nil }

    private func fade(at moment: Instant) -> Fade? { fades.first { $0.contains(moment) } }

    /// The next expiry of a supervision timer, and the end whose timer expires; `nil` if no expiry
    /// is foreseeable.
    var lossMoment: (moment: Instant, end: End)? {
        guard let timeout = settings.supervision?.timeout, lostEnds.count < 2 else { return nil }
        var first: (moment: Instant, end: End)?
        for end in [End.central, .peripheral] where !lostEnds.contains(end) {
            guard let moment = lossMoment(of: end, timeout) else { continue }
            if first.map({ moment < $0.moment }) ?? true { first = (moment, end) }
        }
        return first
    }

    /// Marks the link as lost at one end. Both ends keep their unsent data.
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

    /// Records that both ends have received the empty packets of past idle events.
    mutating func noteIdleEvents(before now: Instant) {
        guard settings.supervision != nil else { return }
        let last = idleEvent(before: now)
        for end in [End.central, .peripheral] {
            sides[end.rawValue].heardAt = max(sides[end.rawValue].heardAt, last + delay(to: end))
        }
    }

    /// The time from the start of an event to the end of the empty packet that an end receives in
    /// it.
    private func delay(to end: End) -> Microseconds {
        let empty = settings.airTime(ofData: 0)
        return end == .peripheral
            ? empty : empty + settings.frameSpaces.centralToPeripheral + empty
    }

    /// The last undamaged event before a moment, or the first event of the link.
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

    /// The first undamaged event at or after a moment.
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
