import ArgumentParser
import BLEOTA
import BLEOTASMP

/// The hash of an image as `bleota device images` prints it, or its first digits.
struct ImageHashArgument {
    private static let digitCounts = 4...128

    let digits: String

    init(_ text: String) throws {
        digits = text.lowercased()
        guard Self.digitCounts.contains(digits.count), digits.allSatisfy(\.isHexDigit) else {
            throw ValidationError(
                "a hash must be 4 to 128 hexadecimal digits, as bleota device images prints it, "
                    + "not \(text)"
            )
        }
    }

    /// The only image hash on the device that begins with these digits.
    func hash(among list: ImageList) throws(Failure) -> [UInt8] {
        let hashes = Set(list.slots.map(\.hash)).filter { HexText.text($0).hasPrefix(digits) }
        guard let hash = hashes.first, hashes.count == 1 else {
            throw Failure(
                .usage,
                hashes.isEmpty
                    ? "The device has no image whose hash begins with \(digits); bleota device "
                        + "images lists its images"
                    : "The hashes of \(hashes.count) images on the device begin with \(digits); "
                        + "add more digits"
            )
        }
        return hash
    }
}
