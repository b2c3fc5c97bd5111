import BLEOTA

/// Establishes connections to the bootloader of a device, and makes an application jump to it.
final class DFUConnector {
    /// The role that the device is expected to have at the next connection.
    enum Expectation: Hashable {
        /// The device that the user has named: an application or a bootloader.
        case first
        /// The bootloader of the previous connection, or an application to which the device has
        /// returned.
        case same
        /// A bootloader after a restart, or an application.
        case restarted
        /// As for ``same``, except that an application means that the device has started the last
        /// image.
        case perhapsFinished
    }

    /// How long a bootloader may take to appear after a jump.
    private static let entryLimit = Duration.seconds(30)
    private static let entryPause = Duration.milliseconds(250)

    private let device: any GATTDevice
    private let format: DFUPackage.Format
    var expectation = Expectation.first

    init(_ device: any GATTDevice, format: DFUPackage.Format) {
        self.device = device
        self.format = format
    }

    /// Connects to a bootloader, or to an application if finding one means that the update has
    /// ended. Makes any other application jump to its bootloader first.
    func connect() async throws(TransferError) -> DFULink {
        let link = try await connectToAnything()
        if link.role == .bootloader || expectation == .perhapsFinished { return link }
        do throws(TransferError) {
            try await link.jump(by: format)
        } catch {
            link.connection.close(.local)
            throw error
        }
        link.connection.close(.local)
        return try await connectToBootloader()
    }

    private func connectToAnything() async throws(TransferError) -> DFULink {
        let forms: [GATTDeviceForm] =
            switch expectation {
            case .first: [.current]
            case .same, .perhapsFinished: [.current, .application]
            case .restarted: [.bootloader(services: [format.service]), .application]
            }
        do throws(TransferError) {
            return try await open(forms[0])
        } catch {
            guard forms.count > 1, !Task.isCancelled else { throw error }
            return try await open(forms[1])
        }
    }

    private func open(_ form: GATTDeviceForm) async throws(TransferError) -> DFULink {
        let connection = try await device.connect(to: form)
        do throws(TransferError) {
            return try await DFULink.open(connection, for: format)
        } catch {
            connection.close(.local)
            throw error
        }
    }

    private func connectToBootloader() async throws(TransferError) -> DFULink {
        let form = GATTDeviceForm.bootloader(services: [format.service])
        let end = ContinuousClock.now + Self.entryLimit
        while true {
            let failure: TransferError
            do throws(TransferError) {
                let link = try await open(form)
                if link.role == .bootloader { return link }
                link.connection.close(.local)
                failure = TransferError(
                    .linkLost(.failed("The device did not enter its bootloader."))
                )
            } catch {
                failure = error
            }
            if Task.isCancelled { throw TransferError(.cancelled) }
            if ContinuousClock.now >= end { throw failure }
            try? await Task.sleep(for: Self.entryPause)
        }
    }
}
