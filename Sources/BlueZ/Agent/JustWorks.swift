public import DBus

/// Pairs with every device without asking, protected against listeners but not against somebody in
/// between; for machines without a person.
public struct JustWorks: PairingHandler {
    /// There is nothing to set.
    public init() {}

    /// Nothing can be asked for.
    public var capability: PairingCapability { .nothing }

    /// Always.
    public func authorizesPairing(_ device: ObjectPath) async -> Bool { true }

    /// Always.
    public func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
