public import DBus

/// Pairs with every device without asking. This protects against eavesdroppers but not against a
/// man in the middle; it is meant for machines without a user interface.
public struct JustWorks: PairingHandler {
    /// Creates a handler; it has no settings.
    public init() {}

    /// No display and no keyboard.
    public var capability: PairingCapability { .nothing }

    /// Always returns `true`.
    public func authorizesPairing(_ device: ObjectPath) async -> Bool { true }

    /// Always returns `true`.
    public func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
