import BLEOTA

/// Text as a terminal shows it. Names, versions and messages come from outside, so all output to a
/// terminal passes through here.
enum TerminalText {
    /// The text with a question mark in place of each scalar that moves the cursor, begins a line,
    /// changes the direction of the text or is invisible.
    static func clean(_ text: String) -> String {
        ImageName.shown(ArgumentBytes.readable(text))
    }

    /// The clean text in at most this many columns; truncated text ends in an ellipsis.
    static func fitted(_ text: String, columnCountMax: Int) -> String {
        let text = clean(text)
        guard columnCount(of: text) > columnCountMax else { return text }
        var kept = ""
        var width = 0
        for character in text {
            width += columnCount(of: character)
            guard width < columnCountMax else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// The same, padded with spaces to exactly this many columns.
    static func padded(_ text: String, columnCount: Int) -> String {
        let text = fitted(text, columnCountMax: columnCount)
        return text + String(repeating: " ", count: columnCount - self.columnCount(of: text))
    }

    /// The number of columns that a text occupies. If terminals differ, as with emoji of several
    /// scalars, this is the larger number, so that no line gets too long.
    static func columnCount(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columnCount(of: $1) }
    }

    private static func columnCount(of character: Character) -> Int {
        let isEmoji = character.unicodeScalars.contains { $0.value == 0xFE0F }
        let sum = character.unicodeScalars.reduce(0) { $0 + columnCount(of: $1) }
        return isEmoji ? max(sum, 2) : sum
    }

    private static func columnCount(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// Ranges from the first to the last wide or full-width character of each block (Unicode
    /// Standard Annex 11).
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DF2, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265,
        0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
