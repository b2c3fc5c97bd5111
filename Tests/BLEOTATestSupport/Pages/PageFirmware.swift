import Foundation

/// The images that the commands of pages use.
enum PageFirmware {
    private static let byteCount = 262_144

    /// The image of which the pages show lengths and hashes, from Debian's package `seabios`; `nil`
    /// if it or this release of it is not here (`scripts/fetch-firmware.sh`).
    static func real(in place: ToolDirectory) async throws -> [UInt8]? {
        guard let folder = ProcessInfo.processInfo.environment["BLEOTA_FIRMWARE_DIR"] else {
            return nil
        }
        let path = "\(folder)/seabios/usr/share/seabios/bios-256k.bin"
        guard let image = FileManager.default.contents(atPath: path) else { return nil }
        let sum = try await RunningTool([path], in: place, program: "/usr/bin/sha256sum").end()
        let isShown = try Repository.text(of: "README.md").contains(sum.output.prefix(64))
        return isShown && sum.status == 0 ? [UInt8](image) : nil
    }

    /// Bytes that can be compressed, but not by much.
    static let made: [UInt8] = {
        var random = TestSeed(256)
        let words = (0..<512).map { _ in random.bytes(12) }
        let picks = random.bytes(2 * byteCount)
        var image: [UInt8] = []
        for index in stride(from: 0, to: picks.count, by: 2) where image.count < byteCount {
            image += words[Int(picks[index]) << 1 | Int(picks[index + 1] & 1)]
        }
        return Array(image.prefix(byteCount))
    }()

    /// The image of an earlier release, of which 2 KiB in the middle differ.
    static func before(_ image: [UInt8]) -> [UInt8] {
        var image = image
        var random = TestSeed(20)
        let middle = image.count / 2
        image.replaceSubrange(middle..<(middle + 2_048), with: random.bytes(2_048))
        return image
    }
}
