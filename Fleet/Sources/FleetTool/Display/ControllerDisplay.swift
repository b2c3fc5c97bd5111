import FleetControl
import FleetModel
import FleetText

/// Prints what a controller does, each as a line.
struct ControllerDisplay: Sendable {
    let isJSON: Bool
    /// By which other controllers name this one.
    let name: ControllerID

    func show(_ event: ControllerEvent) {
        if isJSON {
            Console.print(line(event).text)
        } else if let words = words(event) {
            Console.print(words)
        }
    }

    func words(_ event: ControllerEvent) -> String? {
        switch event {
        case .waiting(let other): "\(other) is active; this controller, \(name), waits"
        case .active: "this controller, \(name), is active"
        case .ready(let count): "\(count) devices are known"
        case .replaced: "another controller is active now"
        case .advanced(let campaign): "\(campaign.plan.id)  \(campaign.phase.words)"
        case .wrote(let record, let old): Self.words(record, after: old)
        case .lied(_, let sentence): sentence
        case .engineAway(let why): "waiting for the server: \(why)"
        case .engineBack: "the server is there again"
        case .ignored(let why): why
        }
    }

    /// What has changed: a record is also written when something new is heard.
    private static func words(_ record: DeviceRecord, after old: DeviceRecord?) -> String? {
        if let lease = record.lease, lease != old?.lease {
            return "\(record.id)  lent to \(lease.gateway)"
        }
        switch record.newOutcome(after: old) {
        case .succeeded: return "\(record.id)  updated to \(record.version)"
        case .failed(let why): return "\(record.id)  failed: \(why.detail)"
        case .waiting(let next, _, let why?):
            return "\(record.id)  attempt \(next - 1) failed: \(why.detail)"
        case .waiting, nil: break
        }
        guard let old, record.version != old.version else { return nil }
        return "\(record.id)  heard with version \(record.version)"
    }

    private func line(_ event: ControllerEvent) -> JSONObject {
        switch event {
        case .waiting(let other):
            JSONObject("waiting").with("active", other.text).with("controller", name.text)
        case .active: JSONObject("active").with("controller", name.text)
        case .ready(let count): JSONObject("ready").with("devices", UInt64(count))
        case .replaced: JSONObject("replaced")
        case .advanced(let campaign):
            JSONObject("campaign").with("campaign", campaign.plan.id.text)
                .with("phase", campaign.phase.word)
        case .wrote(let record, _): record.line("device")
        case .lied(let gateway, let sentence):
            JSONObject("audit").with("gateway", gateway.text).with("detail", sentence)
        case .engineAway(let why): JSONObject("serverAway").with("detail", why)
        case .engineBack: JSONObject("serverBack")
        case .ignored(let why): JSONObject("ignored").with("detail", why)
        }
    }
}
