/// A line of `--json`: an event and its fields, in the order in which they were added.
struct JSONObject {
    private(set) var text: String

    init(_ event: String) { text = "{\"event\":\(Self.quoted(event))}" }

    func with(_ name: String, _ value: String) -> JSONObject { adding(name, Self.quoted(value)) }
    func with(_ name: String, _ value: UInt64) -> JSONObject { adding(name, "\(value)") }

    private func adding(_ name: String, _ value: String) -> JSONObject {
        var new = self
        new.text = text.dropLast() + ",\(Self.quoted(name)):\(value)}"
        return new
    }

    /// A text as RFC 8259 has it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
