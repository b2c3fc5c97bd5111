import BLEOTA

/// Text for a terminal. Names, versions and messages are untrusted, so all output to a terminal
/// passes through here.
enum TerminalText {
    /// The text without scalars that move the cursor, start a line, change the direction of the
    /// text or are invisible. Each of them becomes a question mark.
    static func clean(_ text: String) -> String {
        ImageName.shown(ArgumentBytes.readable(text))
    }

    /// The clean text, truncated to a number of columns with an ellipsis.
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

    /// The clean text, truncated or padded with spaces to exactly this many columns.
    static func padded(_ text: String, columnCount: Int) -> String {
        let text = fitted(text, columnCountMax: columnCount)
        return text + String(repeating: " ", count: columnCount - self.columnCount(of: text))
    }

    /// The number of columns that a string takes. If terminals differ, as for emoji of several
    /// scalars, this is the larger number, so that lines never get too long.
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

    /// The blocks with wide or full-width characters (Unicode Standard Annex 11), from their first
    /// to their last such character.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DF2, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265,
        0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
