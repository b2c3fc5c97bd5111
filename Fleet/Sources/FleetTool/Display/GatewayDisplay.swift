import FleetGateway
import FleetModel

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

    private static func words(_ event: GatewayEvent) -> String? {
        switch event {
        case .ready(let places): "ready to update \(places) devices at once"
        case .began(let device, let order): "\(device)  version \(order.version) begins"
        case .progressed: nil
        case .ended(let device, .succeeded): "\(device)  updated"
        case .ended(let device, .stopped): "\(device)  given back"
        case .ended(let device, .failed(let why)): "\(device)  \(why.kind.word): \(why.detail)"
        case .engineAway(let why): "waiting for the server: \(why)"
        case .engineBack: "the server is there again"
        case .airAway(let why): "no devices are heard: \(why)"
        case .orderIgnored(let why): "an order is ignored: \(why)"
        }
    }

    private static func line(_ event: GatewayEvent) -> JSONObject {
        switch event {
        case .ready(let places): JSONObject("ready").with("places", UInt64(places))
        case .began(let device, let order):
            JSONObject("began").with("device", device.text)
                .with("campaign", order.campaign.text).with("turn", UInt64(order.turn.number))
                .with("version", order.version.description)
        case .progressed(let device, let progress):
            JSONObject("progress").with("device", device.text)
                .with("storedBytes", progress.storedByteCount)
                .with("bytes", progress.byteCount)
        case .ended(let device, .succeeded): JSONObject("updated").with("device", device.text)
        case .ended(let device, .stopped): JSONObject("returned").with("device", device.text)
        case .ended(let device, .failed(let why)):
            JSONObject("failed").with("device", device.text).with("kind", why.kind.word)
                .with("detail", why.detail)
        case .engineAway(let why): JSONObject("serverAway").with("detail", why)
        case .engineBack: JSONObject("serverBack")
        case .airAway(let why): JSONObject("adapterAway").with("detail", why)
        case .orderIgnored(let why): JSONObject("orderIgnored").with("detail", why)
        }
    }
}

extension Failure.Kind {
    var word: String {
        switch self {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .gateway: "gateway"
        }
    }
}
