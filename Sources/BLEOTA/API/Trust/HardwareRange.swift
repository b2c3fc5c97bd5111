/// Which hardware an image is for: all revisions in a range.
public struct HardwareRange: Hashable, Sendable, CustomStringConvertible {
    /// `vendor/hardware`, 3 to 64 bytes in UTF-8.
    public let name: String
    /// From the lowest to the highest revision.
    public let revisions: ClosedRange<UInt16>

    /// Hardware of this name; `nil` if it is not `vendor/hardware` or too long.
    public init?(name: String, revisions: ClosedRange<UInt16> = 0...UInt16.max) {
        guard Hardware.isName(name) else { return nil }
        self.name = name
        self.revisions = revisions
    }

    /// As tools show it: `acme/lamp:2-5`, and without revisions where all are meant.
    public var description: String {
        if revisions == 0...UInt16.max { return name }
        if revisions.count == 1 { return "\(name):\(revisions.lowerBound)" }
        return "\(name):\(revisions.lowerBound)-\(revisions.upperBound)"
    }
}
