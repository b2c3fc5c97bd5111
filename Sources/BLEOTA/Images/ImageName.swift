import SystemPackage

/// Converts file names for the manifest and for display.
package enum ImageName {
    /// The maximum length of a name, which must fit in the one-byte length of a manifest
    /// attribute.
    static let byteCountMax = 255

    /// The last component of a path, with invalid UTF-8 replaced by U+FFFD.
    static func lastComponent(of path: FilePath) -> String {
        truncated(path.lastComponent?.string ?? path.string)
    }

    /// The longest prefix of `name` that fits in 255 bytes of UTF-8 and ends at a character
    /// boundary. If even the first character is longer than that, the prefix ends at a scalar
    /// boundary.
    static func truncated(_ name: String) -> String {
        if name.utf8.count <= byteCountMax { return name }
        let characters = prefix(of: name) { String($0).utf8.count }
        if !characters.isEmpty { return String(characters) }
        return String(prefix(of: name.unicodeScalars) { UTF8.width($0) })
    }

    private static func prefix<Parts: Collection>(
        of parts: Parts,
        byteCount: (Parts.Element) -> Int
    ) -> Parts.SubSequence {
        var total = 0
        return parts.prefix { part in
            total += byteCount(part)
            return total <= byteCountMax
        }
    }

    /// A name or another string from outside, made safe for a terminal. Each control character
    /// becomes a question mark, because it could move the cursor.
    package static func shown(_ name: String) -> String {
        let isPlain = name.unicodeScalars.allSatisfy { !isControl($0) }
        if isPlain { return name }
        return String(
            String.UnicodeScalarView(name.unicodeScalars.map { isControl($0) ? "?" : $0 })
        )
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
