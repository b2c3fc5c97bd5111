import BLEOTA
import BLEOTAManifest
import FleetGateway
import FleetModel

import struct Crypto.SHA256
import struct SystemPackage.FileDescriptor
import struct SystemPackage.FilePath

/// The bundle of a campaign, as the library reads it.
struct CampaignImage: Sendable {
    /// What a machine has room for in memory.
    private static let byteCountMax = 1 << 30

    let bytes: [UInt8]
    let digest: Digest
    /// The SHA-256 of the image in the bundle, as devices run it.
    let content: Digest
    let version: FirmwareVersion
    private let path: String
    /// The hardware that the bundle states, if any.
    private let stated: String?
    private let isSigned: Bool

    /// Reads a bundle, and checks its images against its manifests.
    init(contentsOf path: String) async throws(ToolFailure) {
        let bytes = try Self.read(path)
        guard bytes.starts(with: "BLB1".utf8) else {
            throw ToolFailure(
                .badData,
                "\(path) is no image bundle: make one of it with bleota sign"
            )
        }
        let manifest: Manifest
        do {
            manifest = try await Firmware(bytes: bytes, name: path).manifest
        } catch {
            throw ToolFailure(.badData, error.description)
        }
        guard let version = manifest.version else {
            throw ToolFailure(
                .badData,
                "\(path) states no version: make it with bleota sign --version 2.1.0"
            )
        }
        guard let number = FirmwareVersion(advertised: version) else {
            throw ToolFailure(
                .badData,
                "the version of \(path) must be three numbers such as 2.1.0, not \(version)"
            )
        }
        self.path = path
        self.bytes = bytes
        self.version = number
        digest = Digest(Array(SHA256.hash(data: bytes)))!
        content = Digest(manifest.decodedSHA256)!
        stated = manifest.hardware?.name
        let fields = try? ManifestFields(parsing: manifest.bytes.span.bytes)
        isSigned = fields.map { $0.signatureByteCount > 0 } ?? false
    }

    /// Compares the bundle with what the operator expects of it.
    func check(
        version expected: FirmwareVersion?,
        allowsUnsigned: Bool
    ) throws(ToolFailure) {
        if let expected, expected != version {
            throw ToolFailure(.badData, "\(path) has version \(version), not \(expected)")
        }
        guard isSigned || allowsUnsigned else {
            throw ToolFailure(
                .badData,
                "nobody has signed \(path): use bleota sign, or add --allow-unsigned"
            )
        }
    }

    /// The hardware of the devices that get it, as the fleet names it.
    func hardware(of wanted: HardwareName?) throws(ToolFailure) -> HardwareName {
        guard let stated else {
            guard let wanted else {
                throw ToolFailure(
                    .usage,
                    "\(path) doesn't state its hardware: say which with --hardware NAME"
                )
            }
            return wanted
        }
        guard let name = HardwareName(stated) else {
            throw ToolFailure(
                .badData,
                "a fleet can't name the hardware of \(path), which is '\(stated)'"
            )
        }
        guard let wanted else { return name }
        guard wanted.takesImage(for: name) else {
            throw ToolFailure(.badData, "\(path) is for \(name), not for \(wanted)")
        }
        return wanted
    }

    private static func read(_ path: String) throws(ToolFailure) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            return try file.closeAfter {
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 1 << 20)
                while bytes.count <= byteCountMax {
                    let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { return bytes }
                    bytes += chunk[..<count]
                }
                throw ToolFailure(.badData, "\(path) is larger than 1 GiB")
            }
        } catch let failure as ToolFailure {
            throw failure
        } catch {
            throw ToolFailure(.inputOutput, "\(path) can't be read: \(error)")
        }
    }
}
