import BLEOTA
import FleetGateway
import FleetModel

import struct Crypto.SHA256

/// What a simulated device finds when it starts.
struct DeviceStart {
    /// What it says of the image that it runs.
    private(set) var running: RunningImage
    /// The version of that image.
    let version: FirmwareVersion
    /// The SHA-256 of that image.
    let sha256: [UInt8]

    /// - Parameters:
    ///   - stored: the verified image in the device's store; `nil` if there is none.
    ///   - before: what the device ran before it restarted; `nil` when it is switched on.
    init(_ stored: BLEOTA.StoredImage?, after before: DeviceStart?, _ device: SimulatedDevice) {
        let factory = device.factory.version
        let old = before.map { ($0.version, $0.sha256) } ?? (factory, Self.sha256(of: factory))
        guard let stored else {
            (version, sha256) = old
            running = .confirmed(sha256)
            running.version = version.description
            return
        }
        let new = stored.manifest.version.flatMap { FirmwareVersion(advertised: $0) }
        if let new, device.temper.failsToStart.contains(new) {
            (version, sha256) = old
            running = .failed(sha256)
        } else {
            // An image that states no version is one of the factory.
            (version, sha256) = (new ?? factory, stored.sha256)
            running = .confirmed(sha256)
        }
        running.version = version.description
    }

    /// The hash of the image that a device left the factory with, which nobody has: it stands for
    /// one.
    private static func sha256(of version: FirmwareVersion) -> [UInt8] {
        Array(SHA256.hash(data: Array("factory \(version)".utf8)))
    }
}
