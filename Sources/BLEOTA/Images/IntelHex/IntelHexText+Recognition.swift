extension IntelHexText {
    /// How much of the content is searched for the first line. A file that begins with more
    /// blanks is raw.
    private static let prefixByteCountMax = 65_536
    /// The length of a record with 255 data bytes. The rest of a longer line is ignored.
    private static let lineByteCountMax = 521

    /// Whether the content is Intel HEX text, judged by its first line that is not blank.
    ///
    /// The line begins with ':' and has only printable characters, and at least three quarters
    /// of the characters after the colon are hexadecimal digits. A binary file that happens to
    /// begin with ':' is therefore raw. A first line with one wrong letter is still HEX, and is
    /// reported as damaged instead of being flashed as text. The other lines are not examined
    /// here, because a fault in them is an error.
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

    /// The length of a UTF-8 byte order mark, which some editors put before the text.
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
