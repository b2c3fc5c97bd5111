import DBus

/// A service's object on the bus.
final class ServiceObject: ExportedObject {
    let interface = Interface.service
    let properties: [String: BusValue]

    init(_ service: LocalService, includes: [ObjectPath]) {
        var properties: [String: BusValue] = [
            "UUID": .string(service.uuid.text),
            "Primary": .boolean(service.isPrimary),
        ]
        if !includes.isEmpty {
            properties["Includes"] = .array(of: "o", includes.map { .path($0) })
        }
        self.properties = properties
    }

    func perform(_ member: String, _ call: IncomingCall) -> Bool { false }
}
