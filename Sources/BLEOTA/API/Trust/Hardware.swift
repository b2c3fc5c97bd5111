/// The hardware of a device: a name of the form `vendor/hardware`, and a revision.
public struct Hardware: Hashable, Sendable, CustomStringConvertible {
    /// The name, `vendor/hardware`, 3 to 64 bytes in UTF-8.
    public let name: String
    /// The revision, which the vendor defines.
    public let revision: UInt16

    /// Creates a description of hardware; `nil` if the name is not of the form
    /// `vendor/hardware` or is too long.
    public init?(name: String, revision: UInt16 = 0) {
        guard Self.isName(name) else { return nil }
        self.name = name
        self.revision = revision
    }

    /// The name and revision as tools show them, such as `acme/lamp:3`.
    public var description: String { "\(name):\(revision)" }

    /// Whether a string is a valid hardware name (spec/bleota.md, [MAN-8]).
    static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return bytes.count <= 64 && !bytes.contains(0) && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty }
    }
}
