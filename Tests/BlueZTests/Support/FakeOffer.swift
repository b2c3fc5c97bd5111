import DBus

/// Something that a program registered with the daemon.
struct FakeOffer: Sendable {
    /// The program's connection.
    let owner: String
    /// What the daemon learnt of it: the objects, or the properties.
    let content: BusValue
}
