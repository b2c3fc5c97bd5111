import FleetTestSupport

/// How far a campaign is, by what the processes print.
final class Progress {
    private let stage: Stage
    private let campaign: String
    private let version: String
    private let teller: Teller
    private var told = (phase: "", count: -1)

    init(_ stage: Stage, campaign: String, version: String, _ teller: Teller) {
        self.stage = stage
        self.campaign = campaign
        self.version = version
        self.teller = teller
    }

    /// The last phase that the controller wrote.
    var phase: String? {
        stage.events(of: "controller").last {
            $0.name == "campaign" && $0.text("campaign") == campaign
        }?.text("phase")
    }

    /// The devices that run the version.
    var updatedCount: Int {
        let ready = deviceEvents.filter { $0.name == "ready" && $0.text("version") == version }
        return Set(ready.compactMap { $0.text("device") }).count
    }

    /// The devices to which a push of the campaign began.
    var takers: Set<String> { Set(begun.compactMap { $0.text("device") }) }

    var pushCount: Int { begun.count }

    /// The pushes of the campaign that went on after the first byte.
    var resumedCount: Int {
        deviceEvents.filter { $0.name == "started" && ($0.number("fromByte") ?? 0) > 0 }.count
    }

    var installedTwiceCount: Int {
        var last: [String: String] = [:]
        var count = 0
        for event in deviceEvents where event.name == "ready" {
            guard let device = event.text("device"), let version = event.text("version") else {
                continue
            }
            if version == self.version, last[device] == version { count += 1 }
            last[device] = version
        }
        return count
    }

    /// The pushes of a gateway that are neither at their beginning nor at their end.
    func middleCount(at gateway: String) -> Int {
        var stored: [String: Double] = [:]
        for event in stage.events(of: gateway) {
            guard let device = event.text("device") else { continue }
            if event.name == "progress", let part = event.number("storedBytes"),
                let whole = event.number("bytes")
            {
                stored[device] = Double(part) / Double(whole)
            } else {
                stored[device] = nil
            }
        }
        return stored.values.filter { (0.2...0.7).contains($0) }.count
    }

    /// Waits, and tells meanwhile how many devices are updated.
    func await(_ what: String, _ condition: () -> Bool) async throws {
        var next = ContinuousClock.now
        try await eventually(what) {
            guard ContinuousClock.now >= next else { return false }
            next = .now + .milliseconds(250)
            let count = updatedCount
            if count / 10 != told.count / 10 || told.count < 0 {
                told.count = count
                teller.tell("\(count) of \(Stage.deviceCount) devices run \(version)")
            }
            return condition()
        }
    }

    private var begun: [PrintedEvent] {
        Stage.gateways.flatMap { stage.events(of: $0) }
            .filter { $0.name == "began" && $0.text("campaign") == campaign }
    }

    private var deviceEvents: [PrintedEvent] { stage.events(of: "devices") }
}
