import DBus

/// The object that lists all other objects of an application for the daemon.
final class ApplicationRoot: ExportedObject {
    let interface = Interface.objectManager
    let properties: [String: BusValue] = [:]
    private let objects: [(path: ObjectPath, object: any ExportedObject)]

    init(_ objects: [(path: ObjectPath, object: any ExportedObject)]) { self.objects = objects }

    func perform(_ member: String, _ call: IncomingCall) -> Bool {
        guard member == "GetManagedObjects" else { return false }
        call.reply([
            .dictionary(
                of: "{oa{sa{sv}}}",
                objects.map { path, object in
                    let interfaces: BusValue = .dictionary(
                        of: "{sa{sv}}",
                        [.init(.string(object.interface), .options(object.properties))]
                    )
                    return .init(.path(path), interfaces)
                }
            )
        ])
        return true
    }
}
