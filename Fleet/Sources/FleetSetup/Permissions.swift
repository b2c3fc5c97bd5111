import FleetModel
import FleetStore
import NATS

/// The subjects that a user may publish to. It may subscribe to its own answers only.
///
/// A request names the subject to which the server sends the answer, and the server doesn't ask
/// whether the user may publish there. So a user could have the server write an answer into a
/// bucket. The keys of controllers, operators and consoles, which share an account, don't protect
/// against that: they keep each of them from mistakes. Each gateway has an account of its own, into
/// which only these subjects are imported, so that an answer stays in there.
enum Permissions {
    /// What every client asks when it connects.
    private static let version = "$SYS.REQ.USER.INFO"

    static func subjects(for role: Role) -> [String] {
        switch role {
        case .gateway(let id): [version] + imports(of: id)
        case .operator:
            [version] + reading + writing(by: .operator)
                + streams.map { "$JS.API.STREAM.CREATE.\($0)" }
        case .controller:
            [version] + reading + writing(by: .controller)
                + ["$JS.API.CONSUMER.DURABLE.CREATE.\(stream(.orders)).*"]
        case .console: [version] + reading + writing(by: .console)
        }
    }

    // MARK: - Values

    private static func bucket(_ part: FleetStore.Part) -> String { "$KV.\(part.bucket)" }
    private static func stream(_ part: FleetStore.Part) -> String { "KV_\(part.bucket)" }

    private static var streams: [String] {
        FleetStore.Part.allCases.map(stream) + [AuditLog.stream.text]
    }

    /// What the keys of a bucket look like, and which role writes them, beside gateways. An operator
    /// removes devices and gateways that are gone for good.
    private static func keys(of part: FleetStore.Part) -> (keys: String, writers: [Role]) {
        switch part {
        case .campaigns: ("*", Role.single)
        case .devices: ("*", [.controller, .operator])
        case .progress: ("*", [.controller])
        case .orders: ("*.*", [.controller])
        case .seat: (FleetStore.activeSeat.text, [.controller])
        case .gateways: ("*", [.operator])
        case .sightings, .reports: ("*.*", [.operator])
        case .images: ("*.*", [.operator])
        case .keys: ("*", [.operator])
        }
    }

    private static func writing(by role: Role) -> [String] {
        let values = FleetStore.Part.allCases.filter { keys(of: $0).writers.contains(role) }
            .map { "\(bucket($0)).\(keys(of: $0).keys)" }
        // A controller writes about gateways, the others about themselves.
        return values + ["fleet.audit.\(role == .controller ? "*" : role.name)"]
    }

    /// Everything, by its key, and as it changes.
    private static var reading: [String] {
        streams.flatMap { stream in
            [
                "$JS.API.STREAM.INFO.\(stream)",
                "$JS.API.STREAM.MSG.GET.\(stream)",
                "$JS.API.CONSUMER.CREATE.\(stream)",
                "$JS.API.CONSUMER.CREATE.\(stream).>",
                "$JS.API.CONSUMER.INFO.\(stream).*",
                "$JS.API.CONSUMER.DELETE.\(stream).*",
                "$JS.FC.\(stream).>",
            ]
        }
    }

    // MARK: - Gateways

    /// The subjects of the fleet's account that the one of a gateway has.
    static func imports(of gateway: GatewayID) -> [String] { services(of: gateway.text) }

    /// The subjects that the fleet's account lets the ones of gateways have, each its own.
    static var exports: [String] { services(of: "*") }

    /// Whether the server answers a request on this subject with several messages.
    static func hasManyAnswers(_ subject: String) -> Bool { subject.contains(".MSG.NEXT.") }

    private static func services(of gateway: String) -> [String] {
        // Nobody may name a stream's messages by their numbers, or ask what the stream is: that
        // tells what other gateways have.
        let values: [(part: FleetStore.Part, keys: String)] = [
            (.gateways, gateway), (.sightings, "\(gateway).*"), (.reports, "\(gateway).*"),
        ]
        let images = "$JS.API.DIRECT.GET.\(stream(.images)).\(bucket(.images)).*.*"
        return values.map { "\(bucket($0.part)).\($0.keys)" }
            + values.map { "$JS.API.DIRECT.GET.\(stream($0.part)).\(bucket($0.part)).\($0.keys)" }
            + [
                images,
                "$JS.API.CONSUMER.MSG.NEXT.\(stream(.orders)).\(gateway)",
                "$JS.ACK.\(stream(.orders)).\(gateway).>",
            ]
    }
}
