/// The hardware that an image is for: one name and a range of revisions.
public struct HardwareRange: Hashable, Sendable, CustomStringConvertible {
    /// The name, `vendor/hardware`, 3 to 64 bytes in UTF-8.
    public let name: String
    /// The lowest to the highest revision.
    public let revisions: ClosedRange<UInt16>

    /// Creates a range of hardware; `nil` if the name is not of the form `vendor/hardware` or
    /// is too long. By default it includes every revision.
    public init?(name: String, revisions: ClosedRange<UInt16> = 0...UInt16.max) {
        guard Hardware.isName(name) else { return nil }
        self.name = name
        self.revisions = revisions
    }

    /// The name and revisions as tools show them, such as `acme/lamp:2-5`; only the name if
    /// every revision is included.
    public var description: String {
        if revisions == 0...UInt16.max { return name }
        if revisions.count == 1 { return "\(name):\(revisions.lowerBound)" }
        return "\(name):\(revisions.lowerBound)-\(revisions.upperBound)"
    }
}
