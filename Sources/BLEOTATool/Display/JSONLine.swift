/// One event as a line of JSON, with its fields in the order in which they were added.
struct JSONLine {
    private var text: String

    init(event: String) { text = "{\"event\":\(Self.quoted(event))" }

    func adding(_ name: String, _ value: String?) -> JSONLine {
        adding(name, raw: value.map(Self.quoted) ?? "null")
    }

    func adding(_ name: String, _ value: Int?) -> JSONLine {
        adding(name, raw: value.map { "\($0)" } ?? "null")
    }

    func adding(_ name: String, _ value: Bool) -> JSONLine {
        adding(name, raw: value ? "true" : "false")
    }

    func adding(_ name: String, _ values: [String]) -> JSONLine {
        adding(name, raw: "[\(values.map(Self.quoted).joined(separator: ","))]")
    }

    func adding(_ name: String, _ values: [String: String]) -> JSONLine {
        let fields = values.sorted { $0.key < $1.key }
            .map { "\(Self.quoted($0.key)):\(Self.quoted($0.value))" }
        return adding(name, raw: "{\(fields.joined(separator: ","))}")
    }

    /// Adds a number with three decimal places, which are milliseconds for times and thousandths
    /// for rates.
    func adding(_ name: String, _ value: Double?) -> JSONLine {
        guard let value, value.isFinite else { return adding(name, raw: "null") }
        let thousandths = (value * 1_000).rounded()
        guard abs(thousandths) < 1e15 else { return adding(name, raw: "\(value)") }
        let whole = Int64(thousandths)
        let fraction = String(abs(whole) % 1_000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        let sign = whole < 0 ? "-" : ""
        return adding(name, raw: "\(sign)\(abs(whole) / 1_000).\(padding)\(fraction)")
    }

    /// The whole line, without a newline.
    var finished: String { text + "}" }

    func print() { Terminal.printRaw(finished + "\n") }

    private func adding(_ name: String, raw: String) -> JSONLine {
        var line = self
        line.text += ",\(Self.quoted(name)):\(raw)"
        return line
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in ArgumentBytes.readable(text).unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where isInvisible(scalar):
                for unit in UTF16.encode(scalar)! {
                    let digits = String(unit, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Whether a scalar could move the cursor of a terminal, or change the direction of its text.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
