/// What a terminal shows of what was written to it, as far as the tool moves the cursor.
struct PageScreen {
    private var rows: [[Unicode.Scalar]] = [[]]
    private var row = 0
    private var column = 0

    /// The lines at the end, without empty ones below.
    static func lines(of text: String) -> [String] {
        var screen = PageScreen()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}", rest.first == "[" {
                let parameters = rest.dropFirst().prefix { !$0.properties.isAlphabetic }
                rest = rest.dropFirst(1 + parameters.count)
                screen.obey(rest.popFirst(), Int(String(parameters)))
            } else {
                screen.write(scalar)
            }
        }
        var lines = screen.rows.map { String(String.UnicodeScalarView($0)) }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\r": column = 0
        case "\n":
            row += 1
            if row == rows.count { rows.append([]) }
        default:
            while rows[row].count <= column { rows[row].append(" ") }
            rows[row][column] = scalar
            column += 1
        }
    }

    /// Moves the cursor up, or erases from it to the end of the line or of the screen.
    private mutating func obey(_ command: Unicode.Scalar?, _ count: Int?) {
        switch command {
        case "A": row = max(row - (count ?? 1), 0)
        case "K": eraseLine()
        case "J":
            eraseLine()
            rows.removeLast(rows.count - row - 1)
        default: break
        }
    }

    private mutating func eraseLine() {
        rows[row].removeLast(max(rows[row].count - column, 0))
    }
}
