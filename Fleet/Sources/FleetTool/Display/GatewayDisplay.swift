import FleetGateway
import FleetModel
import FleetText

/// Prints what happens at a gateway, each as a line.
struct GatewayDisplay: Sendable {
    let isJSON: Bool

    func show(_ event: GatewayEvent) {
        if isJSON {
            Console.print(Self.line(event).text)
        } else if let words = Self.words(event) {
            Console.print(words)
        }
    }

    static func words(_ event: GatewayEvent) -> String? {
        switch event {
        case .ready(let places): "ready to update \(places) devices at once"
        case .nameInUse:
            "another gateway has spoken under this name; waiting until it is silent for 45 s"
        case .began(let device, let order): "\(device)  version \(order.version) begins"
        case .progressed: nil
        case .ended(let device, .succeeded): "\(device)  updated"
        case .ended(let device, .proved): "\(device)  updated, with a receipt"
        case .ended(let device, .stopped): "\(device)  given back"
        case .ended(let device, .failed(let why)): Self.words(why, device)
        case .engineAway(let why): "waiting for the server: \(why)"
        case .engineBack: "the server is there again"
        case .airAway(let why): "no devices are heard: \(why)"
        case .airBack: "devices are heard again"
        case .deviceIgnored(let why): "a device is left out: \(why)"
        case .orderIgnored(let why): "an order is ignored: \(why)"
        }
    }

    /// Only a refusal for good is called one: a device that failed otherwise is tried again.
    private static func words(_ why: Failure, _ device: DeviceID) -> String {
        let word =
            switch why.kind {
            case .rejected: "refused for good"
            case .refused: "not updated"
            case .unreachable: "unreachable"
            case .gateway: "not updated, by a fault of this gateway"
            }
        return "\(device)  \(word): \(why.detail)"
    }

    private static func line(_ event: GatewayEvent) -> JSONObject {
        switch event {
        case .ready(let places): JSONObject("ready").with("places", UInt64(places))
        case .nameInUse: JSONObject("nameInUse")
        case .began(let device, let order):
            JSONObject("began").with("device", device.text)
                .with("campaign", order.campaign.text).with("turn", UInt64(order.turn.number))
                .with("version", order.version.description)
        case .progressed(let device, let progress):
            JSONObject("progress").with("device", device.text)
                .with("storedBytes", progress.storedByteCount)
                .with("bytes", progress.byteCount)
        case .ended(let device, .succeeded), .ended(let device, .proved):
            JSONObject("updated").with("device", device.text)
        case .ended(let device, .stopped): JSONObject("returned").with("device", device.text)
        case .ended(let device, .failed(let why)):
            JSONObject("failed").with("device", device.text).with(why)
        case .engineAway(let why): JSONObject("serverAway").with("detail", why)
        case .engineBack: JSONObject("serverBack")
        case .airAway(let why): JSONObject("adapterAway").with("detail", why)
        case .airBack: JSONObject("adapterBack")
        case .deviceIgnored(let why): JSONObject("deviceIgnored").with("detail", why)
        case .orderIgnored(let why): JSONObject("orderIgnored").with("detail", why)
        }
    }
}
