package import FleetModel

/// What devices are whose Bluetooth name begins with a prefix: `PREFIX=HARDWARE[@GROUP]`.
///
/// A device advertises its name and its version, but not its hardware.
package struct NameRule: Sendable, Hashable {
    package let prefix: String
    package let hardware: HardwareName
    package let group: GroupName?

    /// Parses a rule; `nil` if `text` isn't one. The prefix may be empty, for all devices.
    package init?(_ text: String) {
        guard let equals = text.lastIndex(of: "=") else { return nil }
        let parts = text[text.index(after: equals)...]
            .split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let hardware = HardwareName(String(parts[0])) else { return nil }
        let group = parts.count == 2 ? GroupName(String(parts[1])) : nil
        guard parts.count == 1 || group != nil else { return nil }
        prefix = String(text[..<equals])
        self.hardware = hardware
        self.group = group
    }

    /// The rule with the longest prefix that a name has; `nil` if there is none.
    package static func rule(for name: String, among rules: [NameRule]) -> NameRule? {
        rules.filter { name.hasPrefix($0.prefix) }
            .max { $0.prefix.utf8.count < $1.prefix.utf8.count }
    }
}
