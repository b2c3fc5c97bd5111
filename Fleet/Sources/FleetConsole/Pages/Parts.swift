import FleetModel
import FleetText

/// The parts of which pages are made.
enum Parts {
    // MARK: - Bars

    /// A bar of parts side by side, with what it says in words for those who don't see it.
    static func bar(_ label: String, of whole: Int, _ parts: [(kind: String, count: Int)]) -> HTML {
        var start = 0.0
        var pieces: [HTML] = []
        for part in parts where part.count > 0 && whole > 0 {
            // Of 10,000, one device must be visible all the same: at least 4 of 1,000.
            let width = min(max(Double(part.count) / Double(whole) * 1_000, 4), 1_000 - start)
            pieces.append(
                """
                <rect class="fill-\(part.kind)" x="\(number(start))" y="0" \
                width="\(number(width))" height="10"/>
                """
            )
            start += width
        }
        return """
            <svg class="bar" role="img" aria-label="\(label)" viewBox="0 0 1000 10" \
            preserveAspectRatio="none">\(pieces)</svg>
            """
    }

    /// What has become of devices, as a bar.
    static func bar(_ counts: StateCounts, of whole: Int) -> HTML {
        let parts = [DeviceState.updated, .failed, .updating, .waiting].map {
            (kind: $0.rawValue, count: counts[$0])
        }
        let words = parts.map { "\($0.count) \($0.kind)" }.joined(separator: ", ")
        return bar("\(words), of \(whole) devices", of: whole, parts)
    }

    /// How much of an image a device has.
    static func progress(_ progress: FleetView.Progress?) -> HTML {
        guard let progress, progress.byteCount > 0 else { return .empty }
        let done = Int(min(progress.storedByteCount, progress.byteCount))
        let percent = done * 100 / Int(progress.byteCount)
        return """
            <span class="progress">\
            \(bar("\(percent) % stored", of: Int(progress.byteCount), [("updating", done)]))\
            <span class="small">\(percent)\u{202F}%</span></span>
            """
    }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    // MARK: - Words

    static func chip(_ kind: String, _ words: String) -> HTML {
        "<span class=\"chip chip-\(kind)\">\(words)</span>"
    }

    static func chip(_ state: DeviceState) -> HTML { chip(state.rawValue, state.rawValue) }

    static func chip(_ state: GatewayView.State) -> HTML { chip(state.rawValue, state.rawValue) }

    static func chip(_ phase: CampaignPhase, stages: Int) -> HTML {
        switch phase {
        case .ready: chip("ready", "ready")
        case .running(let stage, _): chip("running", "running, stage \(stage + 1) of \(stages)")
        case .paused(let stage, _): chip("paused", "paused, stage \(stage + 1) of \(stages)")
        case .stopped(.tooManyFailures): chip("failed", "stopped: too many failures")
        case .stopped(.operator): chip("stopped", "stopped")
        case .finished: chip("finished", "finished")
        }
    }

    /// The phase in a word.
    static func chip(_ phase: CampaignPhase) -> HTML {
        switch phase {
        case .ready: chip("ready", "ready")
        case .running: chip("running", "running")
        case .paused: chip("paused", "paused")
        case .stopped(.tooManyFailures): chip("failed", "stopped")
        case .stopped(.operator): chip("stopped", "stopped")
        case .finished: chip("finished", "finished")
        }
    }

    /// How well a device is heard, with a minus and not a hyphen.
    static func strength(_ strength: Strength) -> String {
        "\(strength.dBm < 0 ? "\u{2212}" : "")\(strength.dBm.magnitude)\u{202F}dBm"
    }

    static func time(_ moment: Moment) -> HTML {
        "<time datetime=\"\(moment.timestamp)\">\(moment.text)</time>"
    }

    static func percent(_ share: Share) -> String { share.percent(space: "\u{202F}") }

    static func bytes(_ count: UInt64) -> String {
        switch count {
        case ..<10_240: "\(count) bytes"
        case ..<(10 << 20): "\(count >> 10) KiB"
        default: "\(count >> 20) MiB"
        }
    }

    /// A number with its noun.
    static func devices(_ count: Int) -> HTML { count == 1 ? "1 device" : "\(count) devices" }

    // MARK: - Links

    static func link(_ device: DeviceID) -> HTML {
        "<a href=\"/devices/\(device.text)\">\(device.text)</a>"
    }

    static func link(_ campaign: CampaignID) -> HTML {
        "<a href=\"/campaigns/\(campaign.text)\">\(campaign.text)</a>"
    }

    static func link(_ gateway: GatewayID) -> HTML {
        "<a href=\"/gateways/\(gateway.text)\">\(gateway.text)</a>"
    }

    /// The numbers of a campaign or of the fleet, each a link to those devices.
    static func legend(_ counts: [(kind: String, words: String, count: Int, path: String?)]) -> HTML
    {
        let items: [HTML] = counts.map { entry in
            let text: HTML = """
                <span class="swatch fill-\(entry.kind)"></span>\
                <span class="number">\(entry.count)</span> <span class="word">\(entry.words)</span>
                """
            guard let path = entry.path else { return "<li>\(text)</li>" }
            return "<li><a href=\"\(path)\">\(text)</a></li>"
        }
        return "<ul class=\"legend\">\(items)</ul>"
    }
}
