public import BLEOTA
import BlueZ

extension Target {
    /// A device over Bluetooth, by its name or address.
    ///
    /// ```swift
    /// let report = try await firmware.push(to: .bluetooth(named: "kitchen"))
    /// ```
    ///
    /// A transfer looks for the device, connects, and disconnects at its end. It finds the device
    /// again after the daemon was restarted, and after the adapter was switched off and on.
    ///
    /// - Parameters:
    ///   - name: the name that the device advertises, or its address, such as `B8:27:EB:12:34:56`;
    ///     `nil` for the only device in range that runs bleota.
    ///   - adapter: the name or address of the adapter; by default the first that is on.
    ///   - attMTU: frames are made for no larger ATT_MTU than this, 23 to 517.
    ///   - limit: how long one attempt may take to find the device and to connect to it.
    ///   - pairing: whether to pair with a device that is not paired.
    public static func bluetooth(
        named name: String? = nil,
        adapter: String? = nil,
        attMTU: Int = 517,
        within limit: Duration = .seconds(30),
        pairing: BluetoothPairing = .never
    ) -> Target {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        let device = name.map { DeviceTarget($0) } ?? .onlyOne
        return Target(
            BluetoothConnector(
                device,
                adapter: adapter,
                attMTUMax: attMTU,
                within: limit,
                pairing: pairing
            ),
            description: "\(device)"
        )
    }
}

/// Whether this machine pairs with a device that it sends to.
public enum BluetoothPairing: Sendable {
    /// Not by itself. A device that is paired already is used as it is.
    case never
    /// Without a person, which keeps out whoever only listens.
    case justWorks
    /// With the six digits that the device shows; `nil` stops the pairing.
    case passkey(@Sendable () async -> Int?)
}
