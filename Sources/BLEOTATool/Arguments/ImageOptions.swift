import ArgumentParser
import BLEOTA
import SystemPackage

/// How to read the file of an image.
struct ImageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "auto detects the format; raw sends the bytes as they are.",
            valueName: "auto|raw"
        )
    )
    var format = ImageFormatArgument.auto

    @Option(
        help: ArgumentHelp("Region of an Intel HEX file, counted from 1.", valueName: "N")
    )
    var region: Int?

    func validate() throws {
        if format == .raw, region != nil {
            throw ValidationError(
                "--region needs an Intel HEX file; leave out --region or --format raw"
            )
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
                "\(sentence); get the file again, or add --format raw to use its bytes as they are"
            )
        }
    }
}

/// Whether the format of an image's file is detected.
enum ImageFormatArgument: String, ExpressibleByArgument, CaseIterable {
    case auto, raw
}

extension FirmwareFile {
    /// The regions of an Intel HEX file that are not in the image, one line each.
    var otherRegions: [String] {
        regions.enumerated().compactMap { index, region in
            guard index + 1 != regionNumber else { return nil }
            return "region \(index + 1), \(Units.grouped(region.byteCount)) bytes at "
                + "0x\(String(region.startAddress, radix: 16)) (--region \(index + 1))"
        }
    }
}
