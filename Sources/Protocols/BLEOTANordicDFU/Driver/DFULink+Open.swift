import BLEOTA

extension DFULink {
    /// Finds out whether the device runs an application or a bootloader, and subscribes to its
    /// control point.
    ///
    /// - Throws: a ``TransferError`` if the device speaks only the other protocol. Nothing has been
    ///   written to the device by then.
    static func open(
        _ connection: any GATTConnection,
        for format: DFUPackage.Format
    ) async throws(TransferError) -> DFULink {
        guard connection.hasService(format.service) else {
            if connection.hasService(format.other.service) {
                throw TransferError(.refusedByDevice(.otherFormat(than: format)))
            }
            throw TransferError(gatt: .missing("the \(format.rawValue) service"))
        }
        let link =
            switch format {
            case .secure: try secure(connection)
            case .legacy: try await legacy(connection)
            }
        do throws(GATTError) {
            try await connection.subscribe(to: link.controlPoint)
        } catch {
            throw TransferError(dfu: error)
        }
        return link
    }

    private static func secure(
        _ connection: any GATTConnection
    ) throws(TransferError) -> DFULink {
        typealias UUID = DFUServices.Secure
        if let controlPoint = connection.characteristic(UUID.controlPoint, of: UUID.service),
            let packet = connection.characteristic(UUID.packet, of: UUID.service)
        {
            return DFULink(
                role: .bootloader,
                connection: connection,
                controlPoint: controlPoint,
                packet: packet
            )
        }
        let buttonless =
            connection.characteristic(UUID.buttonless, of: UUID.service)
            ?? connection.characteristic(UUID.buttonlessWithBonds, of: UUID.service)
        guard let buttonless else {
            throw TransferError(gatt: .missing("the characteristics of Secure DFU"))
        }
        return DFULink(
            role: .application,
            connection: connection,
            controlPoint: buttonless,
            packet: buttonless
        )
    }

    private static func legacy(
        _ connection: any GATTConnection
    ) async throws(TransferError) -> DFULink {
        typealias UUID = DFUServices.Legacy
        guard let controlPoint = connection.characteristic(UUID.controlPoint, of: UUID.service)
        else { throw TransferError(gatt: .missing("the control point of Legacy DFU")) }
        let role = try await legacyRole(of: connection)
        let packet = connection.characteristic(UUID.packet, of: UUID.service)
        if role == .bootloader, packet == nil {
            throw TransferError(gatt: .missing("the packet characteristic of Legacy DFU"))
        }
        return DFULink(
            role: role,
            connection: connection,
            controlPoint: controlPoint,
            packet: packet ?? controlPoint
        )
    }

    private static func legacyRole(
        of connection: any GATTConnection
    ) async throws(TransferError) -> Role {
        let uuid = DFUServices.Legacy.version
        guard let version = connection.characteristic(uuid, of: DFUServices.Legacy.service) else {
            // Before SDK 7, devices did not report a version. A bootloader has no services other
            // than DFU and the generic ones.
            let services = Set(connection.characteristics.map(\.service))
                .subtracting(DFUServices.generic)
            return services.count > 1 ? .application : .bootloader
        }
        do throws(GATTError) {
            let value = try await connection.read(version)
            return value == DFUServices.Legacy.versionOfApplication ? .application : .bootloader
        } catch {
            throw TransferError(dfu: error)
        }
    }
}
