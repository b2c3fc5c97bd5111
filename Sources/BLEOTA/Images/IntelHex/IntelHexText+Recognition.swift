extension IntelHexText {
    /// How far the first line is looked for; a file that begins with more blanks is raw.
    private static let prefixByteCountMax = 65_536
    /// A record of 255 data bytes has 521 characters; in a longer line no more are judged.
    private static let lineByteCountMax = 521

    /// Whether the content is Intel HEX text, judged by its first line that is not blank.
    ///
    /// The line begins with ':', has only printable characters, and at least three in four of those
    /// behind the colon are hexadecimal digits. So a binary that happens to begin with ':' is raw,
    /// while a first line with a wrong letter in it is still HEX, and reported as damaged instead
    /// of being flashed as text. Only the first line is asked: whatever is wrong later is an error.
    static func isRecognized(in content: ByteSource) throws(FirmwareError) -> Bool {
        let byteCount = min(content.byteCount, prefixByteCountMax)
        return isRecognized(prefix: try content.read(at: 0, byteCount: byteCount))
    }

    static func isRecognized(prefix: [UInt8]) -> Bool {
        let text = prefix.dropFirst(byteOrderMarkByteCount(prefix)).drop {
            endsLine($0) || isBlank($0)
        }
        guard text.first == UInt8(ascii: ":") else { return false }
        let line = text.dropFirst().prefix(lineByteCountMax - 1).prefix { !endsLine($0) }
        let isPrintable = line.allSatisfy { isBlank($0) || (0x20...0x7E).contains($0) }
        let digitCount = line.count { Character(Unicode.Scalar($0)).isHexDigit }
        let characterCount = line.count { !isBlank($0) }
        return isPrintable && characterCount > 0 && 4 * digitCount >= 3 * characterCount
    }

    /// Some editors put the UTF-8 byte order mark before the text.
    static func byteOrderMarkByteCount(_ text: [UInt8]) -> Int {
        text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    static func endsLine(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
