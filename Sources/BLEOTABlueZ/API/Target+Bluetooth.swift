public import BLEOTA
import BlueZ

extension Target {
    /// A Bluetooth device, identified by its name or address.
    ///
    /// ```swift
    /// let report = try await firmware.push(to: .bluetooth(named: "kitchen"))
    /// ```
    ///
    /// Each transfer searches for the device, connects to it, and disconnects at the end. It
    /// finds the device again after the daemon restarts or the adapter is switched off and on.
    ///
    /// - Parameters:
    ///   - name: the name that the device advertises, or its address, such as
    ///     `B8:27:EB:12:34:56`; `nil` selects the only device in range that runs bleota.
    ///   - adapter: the name or address of the adapter; the first powered adapter by default.
    ///   - attMTU: the largest ATT_MTU that frames are built for, 23 to 517.
    ///   - limit: the longest time that one attempt may take to find the device and connect to
    ///     it.
    ///   - pairing: whether and how to pair with a device that is not paired.
    public static func bluetooth(
        named name: String? = nil,
        adapter: String? = nil,
        attMTU: Int = 517,
        within limit: Duration = .seconds(30),
        pairing: BluetoothPairing = .never
    ) -> Target {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
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

/// Whether and how this machine pairs with a device that it sends to.
public enum BluetoothPairing: Sendable {
    /// No pairing. A device that is already paired is used with its existing bond.
    case never
    /// Pairing without user interaction, which protects against eavesdroppers only.
    case justWorks
    /// Pairing with the six digits that the device shows; `nil` cancels the pairing.
    case passkey(@Sendable () async -> Int?)
}
