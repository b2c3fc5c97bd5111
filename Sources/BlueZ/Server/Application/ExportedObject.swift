import DBus

/// An object with one interface, whose properties can be read over the bus.
protocol ExportedObject: BusObject {
    /// The name of the interface.
    var interface: String { get }
    /// The properties of the interface.
    var properties: [String: BusValue] { get }
    /// Handles a method call on the bus's thread; returns `false` if the interface has no such
    /// method.
    func perform(_ member: String, _ call: IncomingCall) -> Bool
}

extension ExportedObject {
    func take(_ call: IncomingCall) {
        let message = call.message
        let member = message.member ?? ""
        switch message.interface {
        case Interface.properties?: answerAboutProperties(member, call)
        case nil, interface?:
            if !perform(member, call) { refuse(call) }
        default: refuse(call)
        }
    }

    private func refuse(_ call: IncomingCall) {
        call.fail("org.freedesktop.DBus.Error.UnknownMethod", "There is no such method")
    }

    private func answerAboutProperties(_ member: String, _ call: IncomingCall) {
        let arguments = call.message.body.map(\.text)
        guard arguments.first == interface else {
            call.fail("org.freedesktop.DBus.Error.UnknownInterface", "There is no such interface")
            return
        }
        switch member {
        case "GetAll": call.reply([.options(properties)])
        case "Get":
            guard arguments.count == 2, let name = arguments[1], let value = properties[name] else {
                call.fail("org.freedesktop.DBus.Error.UnknownProperty", "There is no such property")
                return
            }
            call.reply([.variant(value)])
        case "Set":
            call.fail(
                "org.freedesktop.DBus.Error.PropertyReadOnly",
                "The property is read-only"
            )
        default: refuse(call)
        }
    }
}
