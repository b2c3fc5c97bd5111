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

    /// The image in the file at `path`.
    func image(at path: FilePath) throws -> FirmwareFile {
        guard format == .auto else { return try FirmwareFile(rawContentsOf: path) }
        do throws(FirmwareError) {
            return try FirmwareFile(contentsOf: path, region: region)
        } catch {
            guard error.code == .notAsNamed else { throw error }
            let sentence = error.description.dropLast()
            throw Failure(
                .refused,
                "\(sentence); get it again from its maker, or add --format raw to send it unchanged"
            )
        }
    }
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
