import FleetControl
import FleetModel

/// Prints what a controller does, each as a line.
struct ControllerDisplay: Sendable {
    let isJSON: Bool

    func show(_ event: ControllerEvent) {
        if isJSON {
            Console.print(Self.line(event).text)
        } else if let words = Self.words(event) {
            Console.print(words)
        }
    }

    private static func words(_ event: ControllerEvent) -> String? {
        switch event {
        case .waiting(let other): "\(other) is active; this controller waits"
        case .active: "this controller is active"
        case .ready(let count): "\(count) devices are known"
        case .replaced: "another controller is active now"
        case .advanced(let campaign): "\(campaign.plan.id)  \(campaign.phase.words)"
        case .wrote(let record): words(record)
        case .lied(_, let sentence): sentence
        case .engineAway(let why): "waiting for the server: \(why)"
        case .engineBack: "the server is there again"
        case .ignored(let why): why
        }
    }

    private static func words(_ record: DeviceRecord) -> String? {
        if let lease = record.lease { return "\(record.id)  lent to \(lease.gateway)" }
        return switch record.job?.state {
        case .succeeded: "\(record.id)  updated to \(record.version)"
        case .failed(let why): "\(record.id)  failed: \(why.detail)"
        case .waiting, nil: nil
        }
    }

    private static func line(_ event: ControllerEvent) -> JSONObject {
        switch event {
        case .waiting(let other): JSONObject("waiting").with("active", other.text)
        case .active: JSONObject("active")
        case .ready(let count): JSONObject("ready").with("devices", UInt64(count))
        case .replaced: JSONObject("replaced")
        case .advanced(let campaign):
            JSONObject("campaign").with("campaign", campaign.plan.id.text)
                .with("phase", campaign.phase.word)
        case .wrote(let record): record.line("device")
        case .lied(let gateway, let sentence):
            JSONObject("audit").with("gateway", gateway.text).with("detail", sentence)
        case .engineAway(let why): JSONObject("serverAway").with("detail", why)
        case .engineBack: JSONObject("serverBack")
        case .ignored(let why): JSONObject("ignored").with("detail", why)
        }
    }
}
