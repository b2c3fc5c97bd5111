/// A version of firmware: three numbers.
package struct FirmwareVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let major: UInt16
    package let minor: UInt16
    package let patch: UInt16

    package init(_ major: UInt16, _ minor: UInt16, _ patch: UInt16) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Parses three numbers with dots between them, such as 2.1.0; `nil` if `text` is something else.
    package init?(_ text: some StringProtocol) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, let major = UInt16(digits: numbers[0]),
            let minor = UInt16(digits: numbers[1]), let patch = UInt16(digits: numbers[2])
        else { return nil }
        self.init(major, minor, patch)
    }

    package static func < (left: FirmwareVersion, right: FirmwareVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    package var description: String { "\(major).\(minor).\(patch)" }
}

extension UInt16 {
    /// The number that is written in digits only: `UInt16("+1")` would be 1.
    fileprivate init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}
