import SystemPackage

/// How files are named, to the peer and to the user.
package enum ImageName {
    /// A name goes into an attribute of the manifest, whose length is one byte.
    static let byteCountMax = 255

    /// The last component of a path; bytes that are no UTF-8 become U+FFFD.
    static func lastComponent(of path: FilePath) -> String {
        truncated(path.lastComponent?.string ?? path.string)
    }

    /// The longest beginning of `name` that fits in 255 bytes of UTF-8 and ends between two
    /// characters; between two scalars, where already the first character is longer than that.
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

    /// The name, or another text from outside, as a terminal gets it: a control character could
    /// move its cursor, so each becomes a question mark.
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
