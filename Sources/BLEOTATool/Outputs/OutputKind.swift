import BLEOTA
import Glibc
import SystemPackage

/// The kind of file that a command writes, and how to recognize it.
enum OutputKind {
    case bundle
    case trace
    /// A received image can have any content, so every file counts as a received image. A file with
    /// other content is protected by ``FileStore`` or by
    /// ``OutputFile/requireAbsent(or:isForced:)``.
    case receivedImage

    /// The name in a sentence.
    var name: String {
        switch self {
        case .bundle: "a bundle"
        case .trace: "a trace"
        case .receivedImage: "the received image"
        }
    }

    /// Whether the file at a path is of this kind; false if it can't be read.
    func isKind(of path: FilePath) -> Bool {
        switch self {
        case .bundle: (try? FirmwareFile(contentsOf: path))?.format == .bundle
        case .trace: Self.isTrace(Self.beginning(of: path))
        case .receivedImage: true
        }
    }

    /// Whether the file at a path holds a private or public key in PEM. The text before the key may
    /// state its purpose.
    static func isKey(_ path: FilePath) -> Bool {
        String(decoding: beginning(of: path), as: UTF8.self)
            .split(whereSeparator: \.isNewline)
            .contains { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("KEY-----") }
    }

    /// More than the longest record takes: 512 bytes are 1,024 digits, preceded by fewer than 100
    /// characters.
    private static let beginningByteCountMax = 2_048

    private static func beginning(of path: FilePath) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = path.withPlatformString { open($0, flags) }
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: beginningByteCountMax) { buffer, count in
            count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
    }

    /// Whether a file begins like a trace: with a record, or with the comment that `simulate`
    /// writes.
    private static func isTrace(_ beginning: [UInt8]) -> Bool {
        let line = String(decoding: beginning.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return line.hasPrefix("# bleota ") || (try? TraceRecord(line: line)) != nil
    }
}
