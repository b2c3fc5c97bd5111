package import BLEOTA
package import FleetModel

package import struct SystemPackage.FilePath

/// Devices behind Unix sockets in a folder, for tests and demonstrations.
///
///     DEVICE.advert   what the device says of itself (``Advertisement``)
///     DEVICE.sock     where it takes images, as bleota push --device unix:… sends them
///
/// The protocol over sockets says neither hardware nor version, so a file takes the place of the
/// advertisement. A device is heard as long as both are there.
package struct SocketAir: Air {
    package static let advertisementEnding = ".advert"
    package static let socketEnding = ".sock"
    /// A device is heard once a second, as often as one with a slow radio advertises.
    private static let pause = Duration.seconds(1)
    /// As many as an address book of a gateway has pages, so that a folder of another kind is read
    /// in bounded time.
    private static let namesMax = 2 * SightingBook.devicesMax

    package let usualPlaces: UInt8 = 8

    private let folder: FilePath
    private let pace: GatewayPace

    package init(folder: FilePath, pace: GatewayPace = GatewayPace()) {
        self.folder = folder
        self.pace = pace
    }

    /// Where a device takes images.
    package static func socket(of device: DeviceID, in folder: FilePath) -> FilePath {
        folder.appending(device.text + socketEnding)
    }

    package static func advertisement(of device: DeviceID, in folder: FilePath) -> FilePath {
        folder.appending(device.text + advertisementEnding)
    }

    package func listen(
        _ heard: @escaping @Sendable (HeardDevice) async -> Void
    ) async throws(AirError) {
        while !Task.isCancelled {
            for device in try present() { await heard(device) }
            try? await Task.sleep(for: Self.pause)
        }
    }

    package func push(
        _ image: Firmware,
        to device: DeviceID,
        progress: @escaping @Sendable (PushProgress) async -> Void
    ) async throws(PushError) {
        let socket = Self.socket(of: device, in: folder)
        try await LibraryPush.run(image, to: .socket(socket.string), pace, progress: progress)
    }

    private func present() throws(AirError) -> [HeardDevice] {
        let names: [String]
        do {
            names = try Folder.names(in: folder, max: Self.namesMax)
        } catch {
            throw AirError("the folder \(folder) of the devices can't be read: \(error)")
        }
        let sockets = Set(names.filter { $0.hasSuffix(Self.socketEnding) })
        return names.filter { $0.hasSuffix(Self.advertisementEnding) }.sorted().compactMap { name in
            let device = DeviceID(String(name.dropLast(Self.advertisementEnding.utf8.count)))
            guard let device, sockets.contains(device.text + Self.socketEnding),
                let bytes = try? Folder.read(
                    folder.appending(name),
                    byteCountMax: Advertisement.byteCountMax
                ),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            // A device that is starting may have gone between the two looks.
            return Advertisement(text)?.heard(as: device)
        }
    }
}
