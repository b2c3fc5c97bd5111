import FleetModel
import Hummingbird
import HummingbirdCore

extension DeviceQuery {
    /// Reads what an address asks for.
    ///
    /// - Throws: for a value that can't be: a typing error must not show all devices.
    init(_ request: Request) throws {
        self.init()
        for (name, value) in request.uri.queryParameters where !value.isEmpty {
            let text = String(value)
            switch name {
            case "state": state = try Self.parsed(DeviceState(rawValue: text), name)
            case "campaign": campaign = try Self.parsed(CampaignID(text), name)
            case "gateway": gateway = try Self.parsed(GatewayID(text), name)
            case "hardware": hardware = try Self.parsed(HardwareName(text), name)
            case "group": group = try Self.parsed(GroupName(text), name)
            case "reason": reason = text
            case "search": search = String(text.prefix(64))
            case "page":
                let number = try Self.parsed(Int(text), name)
                guard (1...1_000_000).contains(number) else { throw Self.wrong(name) }
                page = number - 1
            default: throw Self.wrong(name)
            }
        }
    }

    private static func parsed<Value>(_ value: Value?, _ name: Substring) throws -> Value {
        guard let value else { throw wrong(name) }
        return value
    }

    private static func wrong(_ name: Substring) -> Problem {
        Problem(.badRequest, "The address asks for a \(name) that can’t be.")
    }
}
