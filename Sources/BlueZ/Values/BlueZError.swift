public import DBus

/// A failure in this process, the Bluetooth daemon or the device.
public enum BlueZError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no system bus.
    case noBus(String)
    /// The Bluetooth daemon is not running.
    case noDaemon
    /// The bus or the daemon denies access to this user.
    case permissionDenied(String)
    /// There is no adapter with this name, or no adapter at all if the name is `nil`.
    case noAdapter(String?)
    /// The adapter is switched off.
    case adapterOff
    /// The adapter's radio is blocked.
    case adapterBlocked(RadioBlock)
    /// The adapter with this name does not support Bluetooth LE in this role, or in any role if
    /// `nil`.
    case adapterUnsupported(String, AdapterRole?)
    /// The daemon does not know the device, service or characteristic, or no longer knows it.
    case objectGone(String)
    /// The device lacks a service or characteristic, or a characteristic lacks an operation. The
    /// text completes the sentence "The device has no …".
    case missing(String)
    /// The connection could not be established, with the daemon's reason.
    case connectionFailed(String)
    /// The link is down.
    case disconnected
    /// The same operation is already in progress, possibly for another program.
    case busy
    /// Another client holds the characteristic's socket.
    case locked
    /// The device requires pairing.
    case needsPairing
    /// Pairing failed.
    case pairingFailed(String)
    /// The device refused the operation.
    case att(ATTError)
    /// The daemon does not support the operation.
    case notSupported(String)
    /// The daemon rejects a value or an option.
    case invalid(String)
    /// The operation exceeded the caller's time limit.
    case timedOut(String)
    /// The caller's task was cancelled.
    case cancelled
    /// Any other error, with the daemon's message.
    case failed(String)

    /// One sentence that says what happened and what to do next.
    public var description: String {
        switch self {
        case .noBus(let why):
            "The D-Bus system bus is not available (\(why)); install and start Bluetooth with apt "
                + "install bluez, then systemctl start bluetooth, or, without systemd, run "
                + "the dbus-daemon of the system, then /usr/sbin/bluetoothd."
        case .noDaemon:
            "The Bluetooth daemon is not running; install and start it with apt install bluez, "
                + "then systemctl start bluetooth, or, without systemd, /usr/sbin/bluetoothd."
        case .permissionDenied(let what):
            "The Bluetooth daemon denies this user access (\(what)); run as root, or add the user "
                + "to the group bluetooth with usermod -aG bluetooth $USER, then log in again."
        case .noAdapter(nil):
            "This machine has no Bluetooth adapter; plug one in, then check for it with "
                + "bluetoothctl list."
        case .noAdapter(let name?):
            "There is no Bluetooth adapter \(name); list the adapters with bluetoothctl list."
        case .adapterOff:
            "The Bluetooth adapter is off; turn it on with bluetoothctl power on."
        case .adapterBlocked(.soft):
            "The Bluetooth adapter is blocked; unblock it with rfkill unblock bluetooth."
        case .adapterBlocked(.hard):
            "The Bluetooth adapter is blocked by a hardware switch; turn on wireless with the "
                + "machine's switch or key, then try again."
        case .adapterUnsupported(let name, let role):
            "The Bluetooth adapter \(name) \(Self.inability(role)); choose another one "
                + "that bluetoothctl list shows."
        case .objectGone(let what):
            "\(what) is no longer known to the Bluetooth daemon; bring the device into range, or "
                + "scan for it again."
        case .missing(let what):
            "The device has no \(what); update its software, or choose another device."
        case .connectionFailed(let why):
            "Can't connect to the device (\(why)); bring it closer, check that it advertises and "
                + "has no other connection, then try again."
        case .disconnected:
            "The link to the device was lost; bring the device into range, then try again."
        case .busy: "The Bluetooth daemon is busy; try again in a moment."
        case .locked:
            "Another program is writing to the characteristic; end that program, or disconnect the "
                + "device, then try again."
        case .needsPairing:
            "The device must be paired first; pair it with bluetoothctl pair."
        case .pairingFailed(let why):
            "Pairing failed (\(why)); remove the pairing on both sides, then pair again."
        case .att(let error):
            "The device refused the operation: \(error); check which operations the characteristic "
                + "supports."
        case .notSupported(let what):
            "The operation is not supported here (\(what)); update BlueZ, or find another way."
        case .invalid(let what):
            "The Bluetooth daemon does not accept a value (\(what)); correct it."
        case .timedOut(let what):
            "\(what) took too long; bring the device closer, then try again."
        case .cancelled: "Stopped."
        case .failed(let what):
            "The Bluetooth daemon failed (\(what)); check its log with journalctl -u bluetooth."
        }
    }
}

extension BlueZError {
    private static func inability(_ role: AdapterRole?) -> String {
        switch role {
        case .central?: "can't connect to devices over Bluetooth LE"
        case .peripheral?: "can't act as a Bluetooth LE peripheral"
        case nil: "does not support Bluetooth LE"
        }
    }

    /// Converts an error from the bus, following the documentation of org.bluez or, if there is
    /// none, the daemon's source code.
    public init(_ error: BusError, at path: ObjectPath? = nil) {
        switch error {
        case .answered(let name, let message): self.init(name, message, path)
        case .disconnected(let why): self = .noBus(why)
        case .deadline: self = .timedOut("A reply from the Bluetooth daemon")
        case .cancelled: self = .cancelled
        }
    }

    private init(_ name: String, _ message: String, _ path: ObjectPath?) {
        let bus = "org.freedesktop.DBus.Error."
        let daemon = "org.bluez.Error."
        if name.hasPrefix(bus) {
            self.init(busError: String(name.dropFirst(bus.count)), message, path)
        } else if name.hasPrefix(daemon) {
            self.init(daemonError: String(name.dropFirst(daemon.count)), message)
        } else if name.hasPrefix("org.freedesktop.systemd1.") {
            // The bus asked systemd to start the daemon, but that failed.
            self = .noDaemon
        } else {
            self = .failed("\(name): \(message)")
        }
    }

    private init(busError name: String, _ message: String, _ path: ObjectPath?) {
        switch name {
        case "ServiceUnknown", "NameHasNoOwner": self = .noDaemon
        case "UnknownObject", "UnknownMethod", "UnknownInterface", "UnknownProperty":
            self = .objectGone(path.map { "\($0)" } ?? "The object")
        // The daemon went away during the call, or does not respond.
        case "NoReply", "TimedOut", "Timeout", "Disconnected": self = .noDaemon
        case "AccessDenied", "AuthFailed":
            // After a semicolon, the bus lists details of both programs.
            self = .permissionDenied(String(message.prefix { $0 != ";" }))
        case "LimitsExceeded": self = .busy
        // The bus itself tried to start the daemon, but failed.
        case _ where name.hasPrefix("Spawn."): self = .noDaemon
        case "InvalidArgs": self = .invalid(message)
        default: self = .failed("\(name): \(message)")
        }
    }

    private init(daemonError name: String, _ message: String) {
        switch name {
        case "NotReady": self = .adapterOff
        case "InProgress": self = .busy
        case "NotConnected": self = .disconnected
        case "NotPermitted": self = Self.notPermitted(message)
        case "NotAuthorized": self = .att(.insufficientAuthorization)
        case "NotSupported": self = .notSupported(message.isEmpty ? "NotSupported" : message)
        case "InvalidArguments": self = Self.invalidArguments(message)
        case "InvalidOffset": self = .att(.invalidOffset)
        case "InvalidValueLength": self = .att(.invalidAttributeValueLength)
        case "AuthenticationFailed", "AuthenticationCanceled", "AuthenticationRejected",
            "AuthenticationTimeout":
            self = .pairingFailed(name)
        case "ConnectionAttemptFailed": self = .connectionFailed(message)
        case "DoesNotExist": self = .objectGone(message)
        case "Failed": self = Self.failed(message: message)
        default: self = .failed("\(name): \(message)")
        }
    }

    private static func notPermitted(_ message: String) -> BlueZError {
        switch message {
        case "Write acquired", "Notify acquired": .locked
        case "Read not permitted": .att(.readNotPermitted)
        case "Write not permitted": .att(.writeNotPermitted)
        case "Not paired": .needsPairing
        default: .notSupported(message.isEmpty ? "not permitted" : message)
        }
    }

    private static func invalidArguments(_ message: String) -> BlueZError {
        switch message {
        case "Invalid Length": .att(.invalidAttributeValueLength)
        case "Invalid offset": .att(.invalidOffset)
        default: .invalid(message)
        }
    }

    /// Parses the message of `Failed`, which the daemon uses in place of more specific error names.
    private static func failed(message: String) -> BlueZError {
        switch message {
        case "Operation already in progress", "In Progress": return .busy
        case "Not connected": return .disconnected
        case "Blocked through rfkill": return .adapterBlocked(.soft)
        default: break
        }
        let att = "Operation failed with ATT error: 0x"
        if message.hasPrefix(att), let code = UInt8(message.dropFirst(att.count), radix: 16) {
            let error = ATTError(rawValue: code)
            let isOfLink = [.insufficientAuthentication, .insufficientEncryption].contains(error)
            return isOfLink ? .needsPairing : .att(error)
        }
        if message.hasPrefix("le-connection-") || message.hasPrefix("br-connection-") {
            return .connectionFailed(message)
        }
        return .failed(message)
    }
}
