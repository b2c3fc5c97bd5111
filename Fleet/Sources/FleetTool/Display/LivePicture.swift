import Glibc

/// Lines in a terminal that are drawn again where they were.
struct LivePicture {
    /// The columns of the terminal.
    let width: Int
    private let rows: Int
    private var shownCount = 0

    /// `nil` if the output is no terminal, or can't move its cursor.
    init?() {
        var size = winsize()
        guard Console.isTerminal, getenv("TERM").map({ String(cString: $0) }) != "dumb",
            ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        else { return nil }
        width = size.ws_col > 0 ? Int(size.ws_col) : 80
        rows = size.ws_row > 0 ? Int(size.ws_row) : 24
    }

    /// Draws lines over the last ones. Those that don't fit on the screen are left out.
    mutating func draw(_ lines: [String]) {
        let lines = lines.suffix(rows - 1)
        var text = shownCount > 0 ? "\u{1B}[\(shownCount)A\r\u{1B}[J" : ""
        text += lines.joined(separator: "\n")
        shownCount = lines.count
        Console.print(text)
    }
}
