/// Converts between bytes and pairs of hexadecimal digits.
package enum HexText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The bytes as lowercase hexadecimal digits.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes lowercase or uppercase digits; `nil` if there is any other character or an odd
    /// number of digits.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.map(value)
        guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0]! << 4 | values[$0 + 1]! }
    }

    /// The value of an ASCII hexadecimal digit; `nil` for any other character.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
