/// A value of JSON. The members of an object keep their order; one that is `nil` is left out.
package indirect enum JSON: Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([JSON])
    case object([(name: String, value: JSON?)])

    /// An object whose members are written down.
    package static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.map { ($0.key, $0.value) })
    }

    /// An object with another member; anything else as it is.
    package func adding(_ name: String, _ value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + [(name, value)])
    }

    /// The value as RFC 8259 has it.
    package var description: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.compactMap { name, value in
                    value.map { "\(Self.quoted(name)):\($0.description)" }
                }
                .joined(separator: ",") + "}"
        }
    }

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
