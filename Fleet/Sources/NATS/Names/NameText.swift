/// What the names of a server's things have in common: ASCII, and tokens between dots.
enum NameText {
    /// Whether `text` is one word of letters, digits, `_` and `-`.
    static func isWord(_ text: String, byteCountMax: Int) -> Bool {
        (1...byteCountMax).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
    }

    /// Whether `text` is one or more tokens with a dot between them, none of them empty.
    static func areTokens(
        _ text: String,
        byteCountMax: Int,
        _ isToken: (Substring.UTF8View) -> Bool
    ) -> Bool {
        guard (1...byteCountMax).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && isToken($0.utf8) }
    }

    /// A filter's tokens: `*` for any one of them, `>` at the end for one or more.
    static func areFilterTokens(
        _ text: String,
        byteCountMax: Int,
        _ isToken: (Substring.UTF8View) -> Bool
    ) -> Bool {
        if text == ">" { return true }
        let fixed = text.hasSuffix(".>") ? String(text.dropLast(2)) : text
        return areTokens(fixed, byteCountMax: byteCountMax) { token in
            token.elementsEqual("*".utf8) || isToken(token)
        }
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
