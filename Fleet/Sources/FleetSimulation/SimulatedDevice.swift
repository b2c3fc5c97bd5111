package import BLEOTA
package import FleetGateway
package import FleetModel

package import struct SystemPackage.Errno
package import struct SystemPackage.FilePath

/// A device behind a socket: it advertises itself in a file, takes images over a link that loses
/// packets, keeps them in a store of its own, restarts into each, and says what it runs.
package struct SimulatedDevice: Sendable {
    /// What a device does with some versions.
    package struct Temper: Sendable {
        /// It refuses them by its policy, as images for other hardware.
        package var refuses: Set<FirmwareVersion> = []
        /// It takes them, but they don't start, so that it goes back and says so.
        package var failsToStart: Set<FirmwareVersion> = []

        package init() {}
    }

    /// What happens at a device.
    package enum Event: Sendable, Hashable {
        /// It advertises itself, and takes images.
        case ready(FirmwareVersion)
        /// A transfer begins. So many bytes are there already.
        case started(resumedFromByte: Int)
        /// So many bytes are durable, of so many.
        case stored(byteCount: Int, of: Int)
        /// An image is whole, verified and current. The device restarts.
        case verified
        /// The sender offered the image that is current.
        case hadItAlready
        /// A transfer has ended without a verified image.
        case interrupted(String)
    }

    /// How long a restart waits for the store. Tasks that end release it within milliseconds, but
    /// there may be hundreds of devices on a busy machine.
    private static let storeLimit = Duration.seconds(10)

    package let id: DeviceID
    /// What it says of itself, with the version that it left the factory with.
    package let factory: Advertisement
    /// Where its socket and its advertisement are.
    package let folder: FilePath
    /// Where it stores images.
    package let storeFolder: FilePath
    package var temper = Temper()
    /// With which it signs receipts; `nil` if it signs none.
    package var key: SigningKey?
    package var faults: LinkFaults
    /// The time that a restart takes.
    package var restart = Duration.seconds(1)

    package init(
        _ id: DeviceID,
        factory: Advertisement,
        folder: FilePath,
        storeFolder: FilePath,
        faults: LinkFaults
    ) {
        self.id = id
        self.factory = factory
        self.folder = folder
        self.storeFolder = storeFolder
        self.faults = faults
    }

    /// Works until the task is cancelled.
    ///
    /// - Throws: why the device's store, socket or advertisement can't be made.
    package func run(
        _ tell: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws(SimulationError) {
        var start: DeviceStart?
        while !Task.isCancelled {
            start = try await runUntilRestart(start, tell)
            try? await Task.sleep(for: restart)
        }
    }

    /// - Returns: what the device ran.
    private func runUntilRestart(
        _ before: DeviceStart?,
        _ tell: @escaping @Sendable (Event) -> Void
    ) async throws(SimulationError) -> DeviceStart {
        let store: DirectoryStore
        let start: DeviceStart
        do throws(StoreError) {
            store = try await openStore(isRestart: before != nil)
            start = DeviceStart(try await store.current(), after: before, self)
        } catch {
            throw SimulationError("the store of \(id) can't be used: \(error)")
        }
        let session = DeviceSession(self, start, store, tell)
        if let failure = await session.run() { throw failure }
        return start
    }

    /// Opens the store. After a restart, what ran before may hold it for another moment.
    private func openStore(isRestart: Bool) async throws(StoreError) -> DirectoryStore {
        let deadline = ContinuousClock.now + Self.storeLimit
        while true {
            do throws(StoreError) { return try DirectoryStore(directory: storeFolder) } catch {
                guard isRestart, error.code == .busy, .now < deadline, !Task.isCancelled else {
                    throw error
                }
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    func advertise(_ version: FirmwareVersion) throws(Errno) {
        var advertisement = factory
        advertisement.version = version
        try Folder.replace(
            SocketAir.advertisement(of: id, in: folder),
            with: Array(advertisement.text.utf8)
        )
    }
}
