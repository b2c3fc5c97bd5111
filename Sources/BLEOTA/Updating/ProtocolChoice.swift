/// Chooses the protocol of a push: the first that the device speaks and the file suits.
package struct ProtocolChoice: Sendable {
    /// The protocols to choose from, best first.
    package let protocols: [any UpdateProtocol]
    /// The name of the only protocol to use; `nil` allows all of them.
    package let forcedName: String?

    package init(among protocols: [any UpdateProtocol], forced name: String? = nil) {
        self.protocols = protocols
        forcedName = name
    }

    /// The services by which a scan recognizes a device that could be updated.
    package var services: [String] { eligible.flatMap(\.services) }

    private var eligible: [any UpdateProtocol] {
        protocols.filter { forcedName == nil || $0.name == forcedName }
    }

    /// The result of a choice.
    package struct Chosen: Sendable {
        package let name: String
        package let update: any PreparedUpdate
    }

    /// - Parameters:
    ///   - services: the services of the device, as 128-bit UUIDs in lower case.
    ///   - device: the name of the device in messages.
    /// - Throws: a ``TransferError``. Its code is `unsupported` if the device speaks no eligible
    ///   protocol, or none that can do what the options require. Its code is `unreadable` if the
    ///   file can't be read or suits none of these protocols. If the file suits none, the error
    ///   states which file to build for the best of them.
    package func choose(
        for file: FirmwareFile,
        services: Set<String>,
        device: String,
        options: UpdateOptions
    ) throws(TransferError) -> Chosen {
        let spoken = protocols.filter { !services.isDisjoint(with: $0.services) }
        let eligible = spoken.filter { forcedName == nil || $0.name == forcedName }
        let usable = eligible.filter { $0.abilities.isSuperset(of: options.neededAbilities) }
        var firstError: FirmwareError?
        for candidate in usable {
            do throws(FirmwareError) {
                let update = try candidate.prepare(file, options: options)
                return Chosen(name: candidate.name, update: update)
            } catch {
                if error.code != .unsuitable { throw TransferError(.source(error)) }
                firstError = firstError ?? error
            }
        }
        if let firstError { throw TransferError(.source(firstError)) }
        let why =
            eligible.isEmpty
            ? sentence(spoken.map(\.name), device: device)
            : sentence(unable: eligible.map(\.name), options, device: device)
        throw TransferError(.noCommonProtocol(why))
    }

    private func sentence(
        unable names: [String],
        _ options: UpdateOptions,
        device: String
    ) -> String {
        let all = names.joined(separator: " or ")
        if options.neededAbilities.contains(.activation) {
            return "Over \(all), \(device) offers no choice of which image to replace or when to "
                + "run the new one; leave both to the device."
        }
        return "Over \(all), \(device) does not report whether it has confirmed an image; push "
            + "without waiting for the confirmation."
    }

    private func sentence(_ spoken: [String], device: String) -> String {
        if spoken.isEmpty {
            return "\(device) speaks no update protocol that bleota supports; check that it is the "
                + "right device and that its firmware has an update service."
        }
        let all = spoken.joined(separator: ", ")
        let missing = forcedName ?? "that one"
        return "Of the update protocols, \(device) speaks \(all) but not \(missing); choose one "
            + "that it speaks."
    }
}
