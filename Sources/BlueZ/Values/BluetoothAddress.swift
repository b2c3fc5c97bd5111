/// The address of a device or an adapter: six bytes, written as `00:AA:01:00:00:42`.
public struct BluetoothAddress: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The address as 17 uppercase characters.
    public let text: String

    /// Parses an address, ignoring case; `nil` if `text` is not an address.
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

    /// The next address, whose last byte is higher by 1 modulo 256. Some bootloaders advertise from
    /// it.
    public var successor: BluetoothAddress {
        let last = UInt8(text.suffix(2), radix: 16) ?? 0
        let digits = String(last &+ 1, radix: 16, uppercase: true)
        let padded = digits.utf8.count < 2 ? "0" + digits : digits
        return BluetoothAddress(String(text.dropLast(2)) + padded) ?? self
    }

    /// Orders addresses by their text.
    public static func < (left: BluetoothAddress, right: BluetoothAddress) -> Bool {
        left.text < right.text
    }
}
