/// The part of an address after the path.
struct Query {
    let text: String

    /// Puts together names with values; a value that is `nil` or empty is left out.
    init(_ parts: (name: String, value: String?)...) { self.init(parts) }

    init(_ parts: [(name: String, value: String?)]) {
        let pairs = parts.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(Self.escaped($0))" }
        }
        text = pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// A text in which only letters, digits, `-`, `.` and `_` stand for themselves.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return escaped
    }
}
