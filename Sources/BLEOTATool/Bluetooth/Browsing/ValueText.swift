#if BlueZ
/// The value of a characteristic as text.
enum ValueText {
    /// The bytes in hexadecimal: `48 65 6c 6c 6f`.
    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }

    /// The text in quotation marks: `"Hello"`; `nil` if the value is not text, or has control
    /// characters.
    static func text(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self),
            TerminalText.clean(text) == text
        else { return nil }
        return "\"\(text)\""
    }

    /// The bytes that an argument specifies: `0x48656c`, `48 65 6c`, or the text after `text:`.
    static func bytes(_ argument: String) -> [UInt8]? {
        if argument.hasPrefix("text:") { return Array(argument.dropFirst(5).utf8) }
        var digits = argument.filter { $0 != " " && $0 != ":" }
        if digits.hasPrefix("0x") { digits = String(digits.dropFirst(2)) }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy(\.isHexDigit) else {
            return nil
        }
        var bytes: [UInt8] = []
        var rest = Substring(digits)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
#endif
