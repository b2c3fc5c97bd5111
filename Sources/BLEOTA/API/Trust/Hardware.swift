/// What a device is: `vendor/hardware` and a revision.
public struct Hardware: Hashable, Sendable, CustomStringConvertible {
    /// `vendor/hardware`, 3 to 64 bytes in UTF-8.
    public let name: String
    /// The revision, which is up to the vendor.
    public let revision: UInt16

    /// Hardware of this name; `nil` if it is not `vendor/hardware` or too long.
    public init?(name: String, revision: UInt16 = 0) {
        guard Self.isName(name) else { return nil }
        self.name = name
        self.revision = revision
    }

    /// As tools show it: `acme/lamp:3`.
    public var description: String { "\(name):\(revision)" }

    /// Whether a text can name hardware (spec/bleota.md, [MAN-8]).
    static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return bytes.count <= 64 && !bytes.contains(0) && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty }
    }
}
