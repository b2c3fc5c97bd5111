public import DBus

/// Answers the daemon's requests while a device is being paired.
///
/// In every method, `device` is the path of the device's object, `/org/bluez/hci0/dev_…`. The
/// default implementations refuse, or do nothing if the method returns no value. A handler has 55
/// seconds to answer. If that time passes or the pairing is cancelled, the handler's task is
/// cancelled and its answer is ignored. Several requests may be pending at the same time.
public protocol PairingHandler: Sendable {
    /// The I/O capability of this machine, which determines the pairing method.
    var capability: PairingCapability { get }

    /// Whether to pair with a device without comparing or typing digits (Just Works).
    func authorizesPairing(_ device: ObjectPath) async -> Bool

    /// Whether the device shows the same six digits.
    func confirms(_ passkey: PairingPasskey, _ device: ObjectPath) async -> Bool

    /// Returns the six digits that the device shows; `nil` to refuse.
    func passkey(_ device: ObjectPath) async -> PairingPasskey?

    /// Returns the PIN code of a legacy device, 1 to 16 bytes in UTF-8; `nil` to refuse.
    func pinCode(_ device: ObjectPath) async -> String?

    /// Shows six digits to be typed on the device; `enteredCount` of them have been typed so far.
    func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async

    /// Shows a PIN code to be typed on a legacy device.
    func show(pinCode: String, _ device: ObjectPath) async

    /// Whether an untrusted device may use a service.
    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool

    /// Called when the daemon has cancelled the pending requests.
    func isCalledOff() async
}

extension PairingHandler {
    /// Returns `false`.
    public func authorizesPairing(_ device: ObjectPath) async -> Bool { false }

    /// Returns `false`.
    public func confirms(_ passkey: PairingPasskey, _ device: ObjectPath) async -> Bool { false }

    /// Returns `nil` to refuse.
    public func passkey(_ device: ObjectPath) async -> PairingPasskey? { nil }

    /// Returns `nil` to refuse.
    public func pinCode(_ device: ObjectPath) async -> String? { nil }

    /// Does nothing.
    public func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async {}

    /// Does nothing.
    public func show(pinCode: String, _ device: ObjectPath) async {}

    /// Returns `false`.
    public func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { false }

    /// Does nothing.
    public func isCalledOff() async {}
}
