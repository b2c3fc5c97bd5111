/// Text for HTML and SVG.
enum Markup {
    /// What stands for itself in text and between quotation marks.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// Text with what Markdown has for code and emphasis.
    static func inline(_ text: String) -> String {
        var html = ""
        for (number, part) in escaped(text)
            .split(separator: "`", omittingEmptySubsequences: false).enumerated()
        {
            guard number % 2 == 0 else {
                html += "<code>\(part)</code>"
                continue
            }
            html += part.replacing(#/\*\*([^*]+)\*\*/#) { "<strong>\($0.1)</strong>" }
                .replacing(#/\*([^*]+)\*/#) { "<em>\($0.1)</em>" }
        }
        return html
    }
}
