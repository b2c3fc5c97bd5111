/// The address of a device or an adapter: six bytes, written `00:AA:01:00:00:42`.
public struct BluetoothAddress: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 17 upper-case characters.
    public let text: String

    /// The address that `text` is; `nil` if it is none.
    public init?(_ text: String) {
        let text = text.uppercased()
        guard text.utf8.count == 17 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: ":"): guard index % 3 == 2 else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                guard index % 3 != 2 else { return nil }
            default: return nil
            }
        }
        self.text = text
    }

    /// The address as text.
    public var description: String { text }

    /// In the order of their texts.
    public static func < (left: BluetoothAddress, right: BluetoothAddress) -> Bool {
        left.text < right.text
    }
}
