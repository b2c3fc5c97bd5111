public import DBus

/// A Bluetooth adapter of this machine.
public struct Adapter: Sendable {
    /// The client that knows it.
    public let client: BlueZClient
    /// Its object, `/org/bluez/hci0`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// `hci0`. The number may change when an adapter is plugged out and in; the address does not.
    public var name: String { path.lastElement }

    /// Its address; `nil` once it is gone.
    public var address: BluetoothAddress? {
        property("Address")?.text.flatMap { BluetoothAddress($0) }
    }

    /// The name it shows to others.
    public var alias: String? { property("Alias")?.text }

    /// The roles it has, such as `central` and `peripheral`.
    public var roles: [String] { property("Roles")?.texts ?? [] }

    /// The release of the daemon as `5.66`, from the identifier that it gives itself; `nil` where
    /// the configuration names another.
    public var daemonVersion: String? {
        guard let modalias = property("Modalias")?.text, modalias.hasPrefix("usb:v1D6Bp0246d"),
            let major = UInt8(modalias.dropFirst(15).prefix(2), radix: 16),
            let minor = UInt8(modalias.dropFirst(17).prefix(2), radix: 16)
        else { return nil }
        return "\(major).\(minor)"
    }

    /// Whether the daemon is of this release or a later one; not where it does not tell.
    public func hasDaemon(atLeast major: Int, _ minor: Int) -> Bool {
        let numbers = (daemonVersion ?? "").split(separator: ".").compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (major, minor)
    }

    /// Whether it can be used in this role: a device for others needs the daemon's managers of
    /// services and of advertisements too. Where the daemon does not tell the roles, it can.
    public func supports(_ role: AdapterRole) -> Bool {
        client.look { tree in
            let roles = tree.property(path, Interface.adapter, "Roles")?.texts
            guard roles?.contains(role.rawValue) != false else { return false }
            return switch role {
            case .central: true
            case .peripheral:
                tree.properties(path, Interface.gattManager) != nil
                    && tree.properties(path, Interface.advertisingManager) != nil
            }
        }
    }

    /// Whether it is ready, and why not; in any role.
    public var state: AdapterState { state(for: nil) }

    /// Whether it is ready for a role, or for any if `nil`, and why not.
    public func state(for role: AdapterRole?) -> AdapterState {
        guard let properties = client.look({ $0.properties(path, Interface.adapter) }) else {
            return .unknown
        }
        // Another state would not help one that can't.
        let roles = role.map { [$0] } ?? AdapterRole.allCases
        guard roles.contains(where: supports) else { return .unsupported }
        switch properties["PowerState"]?.text {
        case "on": return .on
        case "off": return .off
        case "off-blocked": return .blocked
        case "off-enabling", "on-disabling": return .resetting
        default: break
        }
        return switch properties["Powered"]?.flag {
        case true?: .on
        case false?: client.radioSwitches.block(of: name) == nil ? .off : .blocked
        case nil: .unknown
        }
    }

    /// What blocks its radio; `nil` unless it is ``AdapterState/blocked``.
    public var radioBlock: RadioBlock? {
        guard state == .blocked else { return nil }
        return client.radioSwitches.block(of: name) ?? .soft
    }

    /// Switches it on or off, and waits until it is.
    ///
    /// - Throws: ``BlueZError/adapterBlocked(_:)`` when rfkill keeps it off.
    public func setPowered(_ isOn: Bool) async throws(BlueZError) {
        let pause = Duration.milliseconds(100)
        // Just plugged in it is busy for a while.
        for _ in 0..<20 {
            do throws(BlueZError) {
                try await client.set(path, Interface.adapter, "Powered", .boolean(isOn))
                break
            } catch {
                // The daemon does not say which of the two blocks it, and some releases (5.66) not
                // even that one does.
                switch (error, client.radioSwitches.block(of: name)) {
                case (.adapterBlocked, let block?): throw .adapterBlocked(block)
                case (.failed, let block?) where isOn: throw .adapterBlocked(block)
                default: break
                }
                guard error == .busy || error == .adapterOff else { throw error }
            }
            try await client.pause(pause)
        }
        let path = path
        try await client.wait(for: "Switching the adapter", within: .seconds(5)) {
            tree -> Result<Void, BlueZError>? in
            guard let powered = tree.property(path, Interface.adapter, "Powered")?.flag else {
                return .failure(.noAdapter(path.lastElement))
            }
            return powered == isOn ? .success(()) : nil
        }
    }

    /// Makes the daemon forget a device, with what it knows of its services and its keys.
    public func remove(_ device: Device) async throws(BlueZError) {
        try await client.call(path, Interface.adapter, "RemoveDevice", [.path(device.path)])
    }

    /// The devices that the daemon knows at this adapter, in the order of their addresses.
    public var devices: [Device] {
        client.look { tree in tree.paths(with: Interface.device, below: path) }
            .map { Device(client, $0) }
    }

    /// The device with this address, if the daemon knows it.
    public func device(_ address: BluetoothAddress) -> Device? {
        devices.first { $0.address == address }
    }

    private func property(_ name: String) -> BusValue? {
        client.look { $0.property(path, Interface.adapter, name) }
    }
}
