/// A version of the server, such as 2.11.0.
package struct ServerVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The oldest version that is accepted.
    ///
    /// Debian's 2.9.10 lost 48 of 300 devices in a trial in which nodes were killed. From 2.11 on,
    /// none was lost.
    package static let oldest = ServerVersion(major: 2, minor: 11, patch: 0)

    package let major: UInt16
    package let minor: UInt16
    package let patch: UInt16

    private init(major: UInt16, minor: UInt16, patch: UInt16) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Parses `2.11.0`, or `2.12.0-beta.1`; `nil` if `text` is no version.
    package init?(_ text: some StringProtocol) {
        let numbers = text.prefix { $0 != "-" && $0 != "+" }
            .split(separator: ".", omittingEmptySubsequences: false).map { UInt16($0) }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1],
            let patch = numbers[2]
        else { return nil }
        self.init(major: major, minor: minor, patch: patch)
    }

    /// Orders versions by their age; a version before a release counts as the release.
    package static func < (left: ServerVersion, right: ServerVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// The version as text.
    package var description: String { "\(major).\(minor).\(patch)" }
}
