package import FleetModel

extension FirmwareVersion {
    /// Parses the version that a device advertises or a manifest states: three numbers with dots
    /// between them, which `+` or `-` and the number of a build may follow. `nil` if `text` is
    /// something else.
    package init?(advertised text: some StringProtocol) {
        let numbers = text.prefix { $0 != "+" && $0 != "-" }
            .split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, let major = UInt16(digits: numbers[0]),
            let minor = UInt16(digits: numbers[1]), let patch = UInt16(digits: numbers[2])
        else { return nil }
        self.init(major, minor, patch)
    }
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
