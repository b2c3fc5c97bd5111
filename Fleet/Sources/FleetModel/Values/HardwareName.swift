/// The name of hardware, as bundles state it: `VENDOR/HARDWARE`, such as `acme/lamp`; or without
/// the vendor, `lamp`, in a fleet that has hardware of one vendor.
package struct HardwareName: Sendable, Hashable, CustomStringConvertible {
    /// As long as the name that a manifest may state.
    package static let byteCountMax = 64

    package let text: String

    /// Parses one or two names with a slash between them, of letters, digits, `.`, `_` and `-`;
    /// `nil` if `text` is something else.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.byteCountMax, parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) })
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || Identifier<Self>.isAllowed(byte)
    }

    /// Whether an image is for this hardware. One that states a vendor is for the hardware of that
    /// name also if this has none.
    package func takesImage(for stated: HardwareName) -> Bool {
        self == stated || !text.contains("/") && stated.text.hasSuffix("/" + text)
    }

    package var description: String { text }
}
