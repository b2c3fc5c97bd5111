import DBus

extension BlueZEvent {
    /// Parses a signal from the daemon; `nil` if the signal does not concern the daemon's objects.
    init?(_ message: BusMessage) {
        guard let path = message.path else { return nil }
        let body = message.body
        switch message.member {
        case "InterfacesAdded":
            guard body.count == 2, let path = body[0].objectPath else { return nil }
            var interfaces: [String: [String: BusValue]] = [:]
            for entry in body[1].entries ?? [] {
                if let name = entry.key.text { interfaces[name] = entry.value.properties ?? [:] }
            }
            self = .added(path, interfaces)
        case "InterfacesRemoved":
            guard body.count == 2, let path = body[0].objectPath else { return nil }
            self = .removed(path, body[1].texts ?? [])
        case "PropertiesChanged":
            guard body.count == 3, let interface = body[0].text else { return nil }
            self = .changed(
                path,
                interface: interface,
                body[1].properties ?? [:],
                invalidated: body[2].texts ?? []
            )
        case "Disconnected":
            guard message.interface == Interface.device, let name = body.first?.text else {
                return nil
            }
            self = .disconnecting(path, DisconnectionReason(name))
        default: return nil
        }
    }
}
