import Foundation

/// Firmware of real devices, where `BLEOTA_FIRMWARE_DIR` names it (scripts/fetch-firmware.sh).
enum RealFirmware {
    static let folder = ProcessInfo.processInfo.environment["BLEOTA_FIRMWARE_DIR"]

    /// A file of it, by its path below the folder.
    static func bytes(_ path: String) -> [UInt8]? {
        folder.flatMap { FileManager.default.contents(atPath: "\($0)/\(path)") }.map { [UInt8]($0) }
    }
}
