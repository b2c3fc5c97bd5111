/// A version of firmware: three numbers.
package struct FirmwareVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let major: UInt16
    package let minor: UInt16
    package let patch: UInt16

    package init(_ major: UInt16, _ minor: UInt16, _ patch: UInt16) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    package static func < (left: FirmwareVersion, right: FirmwareVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    package var description: String { "\(major).\(minor).\(patch)" }
}
