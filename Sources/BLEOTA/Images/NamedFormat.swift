/// The format that a file's extension promises.
///
/// A bundle or an Intel HEX file that is so damaged that it no longer begins like one would be sent
/// as raw bytes. The name of the file shows that the user meant something else.
struct NamedFormat {
    private let name: String
    /// The bytes at the beginning of such a file; `nil` for a format that bleota recognizes by
    /// its content, because a file of that format is never raw.
    private let magic: [UInt8]?
    private let isZIP: Bool

    private init(_ name: String, magic: [UInt8]? = nil, isZIP: Bool = false) {
        self.name = name
        self.magic = magic
        self.isZIP = isZIP
    }

    /// The format for an extension; `nil` if the extension promises none.
    init?(extension fileExtension: String) {
        guard let format = Self.formats[fileExtension.lowercased()] else { return nil }
        self = format
    }

    private static let formats = [
        "bleota": NamedFormat("bundle"),
        "hex": NamedFormat("Intel HEX file"),
        "ihex": NamedFormat("Intel HEX file"),
        "ihx": NamedFormat("Intel HEX file"),
        "elf": NamedFormat("ELF file", magic: [0x7F, 0x45, 0x4C, 0x46]),
        "gz": NamedFormat("gzip file", magic: [0x1F, 0x8B]),
        "uf2": NamedFormat("UF2 file", magic: [0x55, 0x46, 0x32, 0x0A]),
        "xz": NamedFormat("xz file", magic: [0xFD, 0x37, 0x7A, 0x58, 0x5A]),
        "zip": NamedFormat("ZIP file", magic: [0x50, 0x4B], isZIP: true),
        "zst": NamedFormat("Zstandard file", magic: [0x28, 0xB5, 0x2F, 0xFD]),
    ]

    /// Checks that a raw file begins as the format in its name requires. A ZIP file must also
    /// end as that format requires.
    ///
    /// - Throws: a ``FirmwareError`` with the code `notAsNamed`.
    func check(_ content: ByteSource, fileName: String) throws(FirmwareError) {
        let start = try content.read(at: 0, byteCount: min(8, content.byteCount))
        let isWhole = isZIP ? try Self.hasZIPEnd(content) : true
        if let magic, start.starts(with: magic), isWhole { return }
        throw FirmwareError(
            .notAsNamed,
            fileName: fileName,
            "\(fileName) is not a valid \(name), despite its name."
        )
    }

    /// Whether the last record of a ZIP file, including its comment, ends at the end of the
    /// file.
    private static func hasZIPEnd(_ content: ByteSource) throws(FirmwareError) -> Bool {
        let recordByteCount = 22
        let start = max(0, content.byteCount - recordByteCount - Int(UInt16.max))
        let tail = try content.read(at: start, byteCount: content.byteCount - start)
        guard tail.count >= recordByteCount else { return false }
        return (0...tail.count - recordByteCount).contains { index in
            let commentByteCount = Int(tail[index + 20]) | Int(tail[index + 21]) << 8
            return tail[index...].starts(with: [0x50, 0x4B, 5, 6])
                && index + recordByteCount + commentByteCount == tail.count
        }
    }
}
