package import BLEOTA
import FoundationEssentials

/// A package for Nordic's DFU: a ZIP file with a manifest, and for each image a file with the
/// firmware and one with the init packet.
///
/// A package is checked as a whole before the first byte is sent: all files must be there and
/// undamaged, and each image must match its init packet as far as the packet describes it.
package struct DFUPackage: Sendable {
    /// The protocol that a package is for.
    package enum Format: String, Sendable, Hashable {
        case secure = "Secure DFU"
        case legacy = "Legacy DFU"
    }

    /// The maximum length of a file, which is larger than the flash of any device. The package is
    /// read into memory.
    package static let byteCountMax = 64 << 20

    package let format: Format
    /// The images in the order in which they are sent; at least one.
    package let parts: [DFUPart]

    /// The number of bytes of all images.
    package var firmwareByteCount: Int { parts.reduce(0) { $0 + $1.firmware.count } }

    /// The SHA-256 of all images, concatenated.
    package var sha256: [UInt8] { FirmwareFile.sha256(of: parts.flatMap(\.firmware)) }

    /// Reads a package.
    ///
    /// - Throws: a ``FirmwareError`` with the code `unsuitable` if the file is not such a package,
    ///   `malformedPackage` if the package is damaged, or another code if the file can't be read.
    package init(_ file: FirmwareFile) throws(FirmwareError) {
        guard file.byteCount <= Self.byteCountMax else {
            throw FirmwareError(
                .tooLarge,
                fileName: file.fileName,
                "\(file.fileName) is \(file.byteCount) bytes long, but the limit for a DFU package "
                    + "is \(Self.byteCountMax); choose another file."
            )
        }
        let bytes = try file.read(at: 0, byteCount: file.byteCount)
        guard bytes.starts(with: [0x50, 0x4B]) else {
            throw Self.unsuitable(file, "is not a ZIP file")
        }
        do throws(PackageProblem) {
            try self.init(ZIPArchive(bytes, problems: ()))
        } catch {
            switch error {
            case .unsuitable(let clause): throw Self.unsuitable(file, clause)
            case .malformed(let clause): throw Self.malformed(file, clause)
            }
        }
    }

    private init(_ archive: ZIPArchive) throws(PackageProblem) {
        guard let text = archive.files["manifest.json"] else {
            throw .unsuitable("has no manifest.json")
        }
        guard let manifest = try? JSONDecoder().decode(PackageManifest.self, from: Data(text))
        else { throw .malformed("has a manifest.json that can't be read") }
        guard let content = manifest.content else {
            throw .unsuitable("has the manifest of another kind of package")
        }
        format = manifest.isLegacy ? .legacy : .secure
        var parts: [DFUPart] = []
        for (kind, entry) in content.entries {
            let part = try DFUPart(kind, entry, in: archive)
            try format == .legacy ? part.checkLegacy() : part.checkSecure()
            parts.append(part)
        }
        if parts.isEmpty { throw .malformed("has no image in its manifest") }
        self.parts = parts
    }

    private static func unsuitable(_ file: FirmwareFile, _ clause: String) -> FirmwareError {
        FirmwareError(
            .unsuitable,
            fileName: file.fileName,
            "\(file.fileName) is not a package for Nordic's DFU, because it \(clause); build one "
                + "with 'nrfutil pkg generate', or with 'adafruit-nrfutil dfu genpkg' for Legacy "
                + "DFU."
        )
    }

    private static func malformed(_ file: FirmwareFile, _ clause: String) -> FirmwareError {
        FirmwareError(
            .malformedPackage,
            fileName: file.fileName,
            "\(file.fileName) \(clause); build the package again, or download it again."
        )
    }
}

/// The reason a file is not a usable package, as a predicate whose subject is the file.
enum PackageProblem: Error, Hashable {
    case unsuitable(String)
    case malformed(String)
}

extension ZIPArchive {
    fileprivate init(_ bytes: [UInt8], problems _: Void) throws(PackageProblem) {
        do throws(Damage) {
            try self.init(bytes)
        } catch {
            switch error {
            case .notZIP: throw .malformed("begins like a ZIP file, but is not one")
            case .damaged: throw .malformed("is a damaged ZIP file")
            case .tooManyEntries:
                throw .unsuitable("has more than \(Self.entryCountMax) files in it")
            case .tooLarge:
                throw .malformed("inflates to more than \(Self.totalByteCountMax) bytes")
            case .hasPath(let name):
                throw .malformed("contains '\(name)', whose name includes a path")
            case .isRepeated(let name): throw .malformed("contains '\(name)' twice")
            case .isEncrypted(let name): throw .malformed("contains '\(name)', which is encrypted")
            case .entryDamaged(let name): throw .malformed("contains '\(name)', which is damaged")
            }
        }
    }
}
