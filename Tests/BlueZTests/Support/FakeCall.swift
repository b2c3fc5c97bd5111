import DBus

/// A call that the daemon got.
struct FakeCall: Sendable, CustomStringConvertible {
    let path: ObjectPath
    let interface: String
    let member: String
    let body: [BusValue]

    /// The options of a method that has them last.
    var options: [String: BusValue] { body.last?.properties ?? [:] }

    var description: String { "\(path.lastElement).\(member)" }
}
