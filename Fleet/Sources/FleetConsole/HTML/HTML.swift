/// A piece of HTML. A text that is put into it is escaped; a piece of HTML is not.
///
/// ```swift
/// let item: HTML = "<li>\(device.id.text)</li>"
/// let list: HTML = "<ul>\(items)</ul>"
/// ```
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    package let text: String

    package static let empty: HTML = ""

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation interpolation: StringInterpolation) {
        text = interpolation.text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ html: HTML) { text += html.text }

        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        package mutating func appendInterpolation(_ number: Int) {
            text += HTML.grouped(number)
        }

        /// A text as it may be inside an element or between quotation marks in a tag.
        package mutating func appendInterpolation(_ text: String) {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "&": self.text += "&amp;"
                case "<": self.text += "&lt;"
                case ">": self.text += "&gt;"
                case "\"": self.text += "&quot;"
                case "'": self.text += "&#39;"
                default: self.text.unicodeScalars.append(scalar)
                }
            }
        }
    }

    /// A number with a thin space between thousands, as people read it.
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202F}" }
            text.append(digit)
        }
        return text
    }
}
