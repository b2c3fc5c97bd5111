/// A protocol by which devices accept firmware: bleota's own, SMP, Nordic's DFU and so on.
///
/// A protocol states how a device that speaks it is recognized, decides whether a device could use
/// a file, and pushes the file. Every push reports its ``PushUpdate`` values in the same order, and
/// throws a ``TransferError`` if it fails, so code that shows a push need not know the protocol.
///
/// To add a protocol, write a module with a type that conforms to this one, and add an instance to
/// the list that the tool registers. The state machines of the protocol belong in that module,
/// without I/O and without a clock.
package protocol UpdateProtocol: Sendable {
    /// The short name that selects the protocol, such as `smp`.
    var name: String { get }
    /// The GATT services that identify a device that speaks the protocol, as 128-bit UUIDs in lower
    /// case.
    var services: [String] { get }
    /// What a user can choose.
    var abilities: UpdateAbilities { get }

    /// Prepares a file for a push.
    ///
    /// - Throws: a ``FirmwareError`` with the code `unsuitable` if no device that speaks this
    ///   protocol could use the file. The sentence states which file to build instead. Other codes
    ///   if the file can't be read.
    func prepare(
        _ file: FirmwareFile,
        options: UpdateOptions
    ) throws(FirmwareError) -> any PreparedUpdate
}

/// What a user can choose for a device that speaks a protocol.
package struct UpdateAbilities: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether to wait until the device has confirmed the image.
    package static let confirmation = UpdateAbilities(rawValue: 1)
    /// Which of the device's images to replace, under which condition, and when the device runs the
    /// new one.
    package static let activation = UpdateAbilities(rawValue: 2)
}

/// A file that is prepared for a push by one protocol.
package protocol PreparedUpdate: Sendable {
    /// Pushes the file to a device, over new links if links are lost.
    ///
    /// - Parameter onUpdate: receives the updates in the order that ``PushUpdate`` promises, on a
    ///   task of the push.
    func push(
        to device: any UpdateDevice,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) async throws(TransferError) -> TransferReport
}

/// A Bluetooth device, whatever protocols it speaks.
package protocol UpdateDevice: Sendable {
    /// The name by which a person knows the device.
    var description: String { get }
    /// Establishes the links of bleota's own protocol.
    var connector: any Connector { get }
    /// Establishes GATT connections, for all other protocols.
    var gatt: any GATTDevice { get }
}
