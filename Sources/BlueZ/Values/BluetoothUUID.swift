/// The UUID of a service, a characteristic or a descriptor.
public struct BluetoothUUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The common suffix of all UUIDs that Bluetooth assigns.
    private static let base = "-0000-1000-8000-00805f9b34fb"

    /// The UUID as 36 lowercase characters, as BlueZ requires:
    /// `0000180a-0000-1000-8000-00805f9b34fb`.
    public let text: String

    /// Parses 4 or 8 hexadecimal digits of an assigned number, or a full UUID of 36 characters;
    /// `nil` if `text` is neither.
    public init?(_ text: String) {
        let text = text.lowercased()
        switch text.utf8.count {
        case 4: self.init(checking: "0000" + text + Self.base)
        case 8: self.init(checking: text + Self.base)
        case 36: self.init(checking: text)
        default: return nil
        }
    }

    /// Creates the UUID of a 16-bit UUID.
    public init(_ number: UInt16) {
        let digits = String(number, radix: 16)
        text = String(repeating: "0", count: 8 - digits.count) + digits + Self.base
    }

    private init?(checking text: String) {
        for (index, byte) in text.utf8.enumerated() {
            let isDash = [8, 13, 18, 23].contains(index)
            switch byte {
            case UInt8(ascii: "-"): guard isDash else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                guard !isDash else { return nil }
            default: return nil
            }
        }
        self.text = text
    }

    /// The value of a 16-bit UUID; `nil` for any other UUID.
    public var number: UInt16? {
        guard text.hasSuffix(Self.base), text.hasPrefix("0000") else { return nil }
        return UInt16(text.dropFirst(4).prefix(4), radix: 16)
    }

    /// The four digits of a 16-bit UUID; otherwise the full UUID.
    public var shortText: String {
        number == nil ? text : String(text.dropFirst(4).prefix(4))
    }

    /// The short text.
    public var description: String { shortText }

    /// Orders UUIDs by their text.
    public static func < (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
        left.text < right.text
    }
}
