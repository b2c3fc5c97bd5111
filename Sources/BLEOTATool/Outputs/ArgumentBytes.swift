import SystemPackage

/// Arguments are bytes, and file names need not be UTF-8, but a `String` must be.
///
/// A byte that is not part of a character is stored as one of the last 128 private-use characters:
/// byte 0x80 + n is U+10FF80 + n. If an argument already contains such a character, its bytes are
/// stored in the same way. Therefore, different arguments become different strings, and each
/// string becomes the same bytes again.
enum ArgumentBytes {
    private static let first: UInt32 = 0x10FF80
    private static let scalars = first...first + 0x7F

    /// The arguments of this process, without its own name.
    static var all: [String] {
        (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
            CommandLine.unsafeArgv[index].map {
                text(of: Array(UnsafeBufferPointer(start: $0, count: length(of: $0))))
            }
        }
    }

    private static func length(of argument: UnsafePointer<CChar>) -> Int {
        var count = 0
        while argument[count] != 0 { count += 1 }
        return count
    }

    /// The string that represents the bytes of an argument.
    static func text(of argument: [CChar]) -> String {
        let bytes = argument.map { UInt8(bitPattern: $0) }
        var text = String.UnicodeScalarView()
        var rest = bytes[...]
        while let byte = rest.first {
            if let scalar = firstScalar(of: rest) {
                text.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                text.append(standIn(for: byte))
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    /// The scalar with which the bytes begin; `nil` if they do not begin with valid UTF-8, or if
    /// the scalar represents a byte.
    private static func firstScalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        for count in 1...min(4, bytes.count) {
            guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
                continue
            }
            return text.unicodeScalars.first { !scalars.contains($0.value) }
        }
        return nil
    }

    private static func standIn(for byte: UInt8) -> Unicode.Scalar {
        // A byte below 0x80 is always a character.
        guard let scalar = Unicode.Scalar(first + UInt32(byte) - 0x80) else {
            preconditionFailure("a scalar of plane 16")
        }
        return scalar
    }

    /// The bytes of the argument that a string represents.
    static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            scalars.contains(scalar.value)
                ? [UInt8(0x80 + (scalar.value - first))] : Array(UTF8.encode(scalar)!)
        }
    }

    /// The text for display, with U+FFFD for each scalar that represents a byte.
    static func readable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { scalars.contains($0.value) }) else {
            return text
        }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalars.contains($0.value) ? "\u{FFFD}" : $0 }
            )
        )
    }
}

extension FilePath {
    /// The path from an argument, with all its bytes.
    init(argument: String) {
        let bytes = ArgumentBytes.bytes(of: argument).prefix { $0 != 0 }
        self = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            // The array ends with a zero, so it is not empty.
            FilePath(platformString: $0.baseAddress!)
        }
    }
}
