public import DBus

/// Answers the questions that come up while a device is paired.
///
/// `device` is the daemon's object, `/org/bluez/hci0/dev_…`. What is not written refuses, or does
/// nothing. A question has 55 seconds; then, or when the pairing is called off, its task is
/// cancelled and the answer does not count. Questions may come at the same time.
public protocol PairingHandler: Sendable {
    /// What can be asked for.
    var capability: PairingCapability { get }

    /// Whether to pair with a device that has no more to show (just works).
    func authorizesPairing(_ device: ObjectPath) async -> Bool

    /// Whether the device shows these six digits too.
    func confirms(_ passkey: PairingPasskey, _ device: ObjectPath) async -> Bool

    /// The six digits that the device shows; `nil` to refuse.
    func passkey(_ device: ObjectPath) async -> PairingPasskey?

    /// The 1 to 16 characters that an old device wants; `nil` to refuse.
    func pinCode(_ device: ObjectPath) async -> String?

    /// Shows six digits to be typed at the device, of which so many are typed already.
    func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async

    /// Shows characters to be typed at an old device.
    func show(pinCode: String, _ device: ObjectPath) async

    /// Whether a device that is not trusted may use a service.
    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool

    /// The daemon called the question off that was asked last.
    func isCalledOff() async
}

extension PairingHandler {
    /// Refuses.
    public func authorizesPairing(_ device: ObjectPath) async -> Bool { false }

    /// Refuses.
    public func confirms(_ passkey: PairingPasskey, _ device: ObjectPath) async -> Bool { false }

    /// Refuses.
    public func passkey(_ device: ObjectPath) async -> PairingPasskey? { nil }

    /// Refuses.
    public func pinCode(_ device: ObjectPath) async -> String? { nil }

    /// Does nothing.
    public func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async {}

    /// Does nothing.
    public func show(pinCode: String, _ device: ObjectPath) async {}

    /// Refuses.
    public func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { false }

    /// Does nothing.
    public func isCalledOff() async {}
}
