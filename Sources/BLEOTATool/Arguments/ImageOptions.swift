import ArgumentParser
import BLEOTA
import SystemPackage

/// How the file of an image is read.
struct ImageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "auto tells by the file's content what it is; raw takes the file as it is.",
            valueName: "auto|raw"
        )
    )
    var format = ImageFormatArgument.auto

    @Option(
        help: ArgumentHelp("The region of an Intel HEX file, from 1.", valueName: "N")
    )
    var region: Int?

    func validate() throws {
        if format == .raw, region != nil {
            throw ValidationError("--region goes with an Intel HEX file, not with --format raw")
        }
    }

    /// - Throws: a ``Failure`` with exit code 65 for a file that is not of the kind that its name
    ///   says: a bundle whose first bytes are damaged would be sent as raw bytes.
    func image(at path: FilePath) throws -> FirmwareFile {
        guard format == .auto else { return try FirmwareFile(rawContentsOf: path) }
        let image = try FirmwareFile(contentsOf: path, region: region)
        guard image.format == .raw, let ending = path.extension,
            let kind = Self.kinds[ending.lowercased()]
        else { return image }
        let beginning = try image.read(at: 0, byteCount: min(8, image.byteCount))
        let isWhole = try ending.lowercased() != "zip" || Self.hasZIPEnd(image)
        guard let magic = kind.magic, beginning.starts(with: magic), isWhole else {
            throw Failure(
                .refused,
                "\(path) is not the \(kind.name) that its name says; get it again from its maker, "
                    + "or add --format raw to take the file as it is"
            )
        }
        return image
    }

    /// Whether a ZIP file is there to its end: the record that ends it says how long its comment
    /// is, and nothing comes after that.
    private static func hasZIPEnd(_ image: FirmwareFile) throws -> Bool {
        let recordByteCount = 22
        let start = max(0, image.byteCount - recordByteCount - Int(UInt16.max))
        let tail = try image.read(at: start, byteCount: image.byteCount - start)
        guard tail.count >= recordByteCount else { return false }
        return (0...tail.count - recordByteCount).contains { index in
            let commentByteCount = Int(tail[index + 20]) | Int(tail[index + 21]) << 8
            return tail[index...].starts(with: [0x50, 0x4B, 5, 6])
                && index + recordByteCount + commentByteCount == tail.count
        }
    }

    /// What the ending of a name says, and with which bytes such a file begins if the tool takes it
    /// as raw.
    private static let kinds: [String: (name: String, magic: [UInt8]?)] = [
        "bleota": ("bundle", nil),
        "hex": ("Intel HEX file", nil),
        "ihex": ("Intel HEX file", nil),
        "ihx": ("Intel HEX file", nil),
        "elf": ("ELF file", [0x7F, 0x45, 0x4C, 0x46]),
        "gz": ("gzip file", [0x1F, 0x8B]),
        "uf2": ("UF2 file", [0x55, 0x46, 0x32, 0x0A]),
        "xz": ("xz file", [0xFD, 0x37, 0x7A, 0x58, 0x5A]),
        "zip": ("ZIP file", [0x50, 0x4B]),
        "zst": ("Zstandard file", [0x28, 0xB5, 0x2F, 0xFD]),
    ]
}

/// Whether the content of an image's file tells what it is.
enum ImageFormatArgument: String, ExpressibleByArgument, CaseIterable {
    case auto, raw
}

extension FirmwareFile {
    /// The regions of an Intel HEX file that are not in the image, a line each.
    var otherRegions: [String] {
        regions.enumerated().compactMap { index, region in
            guard index + 1 != regionNumber else { return nil }
            return "region \(index + 1), \(Units.grouped(region.byteCount)) bytes at "
                + "0x\(String(region.startAddress, radix: 16)) (--region \(index + 1))"
        }
    }
}
