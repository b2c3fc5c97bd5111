import FleetModel
import FleetSimulation

/// Prints what happens at simulated devices, each as a line.
struct SimulationDisplay: Sendable {
    let isJSON: Bool

    func show(_ event: SimulatedDevice.Event, of device: DeviceID) {
        if isJSON {
            Console.print(Self.line(event, device).text)
        } else if let words = Self.words(event) {
            Console.print("\(device)  \(words)")
        }
    }

    private static func words(_ event: SimulatedDevice.Event) -> String? {
        switch event {
        case .ready(let version): "runs \(version)"
        case .started(let byte): byte == 0 ? "takes an image" : "goes on from byte \(byte)"
        case .stored: nil
        case .verified: "has the image, and restarts"
        case .hadItAlready: "had the image already"
        case .interrupted(let why): why
        }
    }

    private static func line(_ event: SimulatedDevice.Event, _ device: DeviceID) -> JSONObject {
        let line: JSONObject =
            switch event {
            case .ready(let version): JSONObject("ready").with("version", version.description)
            case .started(let byte): JSONObject("started").with("fromByte", UInt64(byte))
            case .stored(let count, let whole):
                JSONObject("progress").with("storedBytes", UInt64(count))
                    .with("bytes", UInt64(whole))
            case .verified: JSONObject("verified")
            case .hadItAlready: JSONObject("alreadyCurrent")
            case .interrupted(let why): JSONObject("interrupted").with("detail", why)
            }
        return line.with("device", device.text)
    }
}
