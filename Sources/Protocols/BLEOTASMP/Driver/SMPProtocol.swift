package import BLEOTA
import BLEOTACore

/// SMP, the protocol of MCUmgr. Devices with MCUboot speak it: those built with Zephyr, the nRF
/// Connect SDK, Mynewt and others.
package struct SMPProtocol: UpdateProtocol {
    static let name = "smp"

    package var name: String { Self.name }
    package let services = [GATTLink.service]
    package let abilities: UpdateAbilities = [.confirmation, .activation]

    package init() {}

    package func prepare(
        _ file: FirmwareFile,
        options: UpdateOptions
    ) throws(FirmwareError) -> any PreparedUpdate {
        try SMPPrepared(file, options: options)
    }
}

/// An MCUboot image that is prepared for a push over SMP.
package struct SMPPrepared: PreparedUpdate {
    private let file: SMPFile
    private let options: UpdateOptions

    /// - Throws: a ``FirmwareError`` with the code `unsuitable` if the file is not an MCUboot image
    ///   with a hash; other codes if it can't be read.
    package init(_ file: FirmwareFile, options: UpdateOptions) throws(FirmwareError) {
        self.file = try SMPFile(file)
        self.options = options
    }

    package func push(
        to device: any UpdateDevice,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) async throws(TransferError) -> TransferReport {
        try await push(through: GATTConnector(device.gatt), onUpdate: onUpdate)
    }

    /// Pushes over links of any kind.
    package func push(
        through connector: any SMPConnector,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) async throws(TransferError) -> TransferReport {
        var run = SMPPush(file, plan, onUpdate: onUpdate)
        return try await Reconnection.run(
            &run,
            firstLimit: options.push.connectionLimit,
            limit: options.push.reconnectionLimit
        ) { () throws(TransferError) in
            try await connector.connect()
        }
    }

    /// How long a restart may take. A device may take minutes to swap its images.
    private static let restartLimit = Duration.seconds(300)

    private var plan: SMPUpdate.Plan {
        let restartLimit = options.push.confirmationLimit ?? Self.restartLimit
        return SMPUpdate.Plan(
            UploadChunk.Announcement(
                imageByteCount: file.file.byteCount,
                sha256: file.sha256,
                imageNumber: options.imageNumber,
                isUpgradeOnly: options.isUpgradeOnly
            ),
            imageHash: file.imageHash,
            activation: options.push.confirmationLimit == nil ? options.activation : .test,
            isForced: options.isForced,
            awaitsConfirmation: options.push.confirmationLimit != nil,
            silenceLimit: Microseconds(MonotonicClock.microseconds(options.push.silenceLimit)),
            progressLimit: Microseconds(MonotonicClock.microseconds(options.push.progressLimit)),
            restartLimit: Microseconds(MonotonicClock.microseconds(restartLimit))
        )
    }
}
