public import DBus

/// A Bluetooth adapter of this machine.
public struct Adapter: Sendable {
    /// The client that the adapter belongs to.
    public let client: BlueZClient
    /// The path of the adapter's object, such as `/org/bluez/hci0`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// The name, such as `hci0`. The number may change when an adapter is unplugged and plugged
    /// in again; the address does not.
    public var name: String { path.lastElement }

    /// The adapter's address; `nil` after the adapter has been removed.
    public var address: BluetoothAddress? {
        property("Address")?.text.flatMap { BluetoothAddress($0) }
    }

    /// Whether the adapter's address is random and not public.
    package var hasRandomAddress: Bool { property("AddressType")?.text == "random" }

    /// The name that the adapter shows to other devices.
    public var alias: String? { property("Alias")?.text }

    /// The supported roles, such as `central` and `peripheral`.
    public var roles: [String] { property("Roles")?.texts ?? [] }

    /// The release of the daemon, such as `5.66`, taken from its device ID; `nil` if the
    /// configuration sets another ID.
    public var daemonVersion: String? {
        guard let modalias = property("Modalias")?.text, modalias.hasPrefix("usb:v1D6Bp0246d"),
            let major = UInt8(modalias.dropFirst(15).prefix(2), radix: 16),
            let minor = UInt8(modalias.dropFirst(17).prefix(2), radix: 16)
        else { return nil }
        return "\(major).\(minor)"
    }

    /// Whether the daemon is of this release or a later one; `false` if the release is unknown.
    public func hasDaemon(atLeast major: Int, _ minor: Int) -> Bool {
        let numbers = (daemonVersion ?? "").split(separator: ".").compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (major, minor)
    }

    /// Whether the adapter supports a role. The peripheral role also requires the daemon's GATT
    /// and advertising managers. If the daemon reports no roles, all are assumed to be supported.
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

    /// Whether the adapter is ready in any role, and the reason if not.
    public var state: AdapterState { state(for: nil) }

    /// Whether the adapter is ready for a role (any role if `nil`), and the reason if not.
    public func state(for role: AdapterRole?) -> AdapterState {
        guard let properties = client.look({ $0.properties(path, Interface.adapter) }) else {
            return .unknown
        }
        // An unsupported role takes precedence, because a change of state would not make the
        // adapter usable.
        let roles = role.map { [$0] } ?? AdapterRole.allCases
        guard roles.contains(where: supports) else { return .unsupported }
        let isPowered = properties["Powered"]?.flag
        switch properties["PowerState"]?.text {
        // While an adapter is unplugged, BlueZ 5.82 reports that it is on and without power.
        case "on": return isPowered == false ? .off : .on
        case "off": return .off
        case "off-blocked": return .blocked
        case "off-enabling", "on-disabling": return .resetting
        default: break
        }
        return switch isPowered {
        case true?: .on
        case false?: client.radioSwitches.block(of: name) == nil ? .off : .blocked
        case nil: .unknown
        }
    }

    /// The kind of radio block; `nil` unless the state is ``AdapterState/blocked``.
    public var radioBlock: RadioBlock? {
        guard state == .blocked else { return nil }
        return client.radioSwitches.block(of: name) ?? .soft
    }

    /// Switches the adapter on or off, and waits until this has taken effect.
    ///
    /// - Throws: ``BlueZError/adapterBlocked(_:)`` if rfkill keeps it off.
    public func setPowered(_ isOn: Bool) async throws(BlueZError) {
        let pause = Duration.milliseconds(100)
        // An adapter is busy for a while after it is plugged in.
        for _ in 0..<20 {
            do throws(BlueZError) {
                try await client.set(path, Interface.adapter, "Powered", .boolean(isOn))
                break
            } catch {
                // The daemon does not report the kind of block, and some releases, such as 5.66, do
                // not even report that there is a block.
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

    /// Makes the daemon forget a device, including its services and keys.
    public func remove(_ device: Device) async throws(BlueZError) {
        try await client.call(path, Interface.adapter, "RemoveDevice", [.path(device.path)])
    }

    /// The devices that the daemon knows on this adapter, sorted by address.
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
