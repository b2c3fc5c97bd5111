/// The first 8 bytes of each SMP message.
///
/// ```text
///  0             1       2             4             6          7         8
/// ┌─────────────┬───────┬─────────────┬─────────────┬──────────┬─────────┐
/// │ version, op │ flags │ byteCount   │ group       │ sequence │ command │ map in CBOR …
/// └─────────────┴───────┴─────────────┴─────────────┴──────────┴─────────┘
/// ```
///
/// Numbers are big-endian. Source: Zephyr, "SMP Protocol Specification".
package struct SMPHeader: Sendable, Hashable {
    package static let byteCount = 8

    private enum Offset {
        static let versionAndOperation = 0
        static let byteCount = 2
        static let group = 4
        static let sequence = 6
        static let command = 7
    }

    /// The operation of a message.
    package enum Operation: UInt8, Sendable, Hashable {
        case read = 0
        case readReply = 1
        case write = 2
        case writeReply = 3

        /// The operation of the reply to this request; `nil` for a reply.
        package var reply: Operation? {
            switch self {
            case .read: .readReply
            case .write: .writeReply
            case .readReply, .writeReply: nil
            }
        }
    }

    package var operation: Operation
    /// 1 for the version of the protocol that has errors with a group, 0 for the older one.
    package var version: UInt8
    /// The length of the content after the header, in bytes.
    package var contentByteCount: Int
    package var group: UInt16
    package var sequence: UInt8
    package var command: UInt8

    package init(
        _ operation: Operation,
        version: UInt8 = 1,
        group: UInt16,
        command: UInt8,
        sequence: UInt8,
        contentByteCount: Int
    ) {
        self.operation = operation
        self.version = version
        self.contentByteCount = contentByteCount
        self.group = group
        self.sequence = sequence
        self.command = command
    }

    /// Parses a header; `nil` if there are fewer than 8 bytes, or if the operation is unknown.
    package init?(_ bytes: some RandomAccessCollection<UInt8>) {
        guard bytes.count >= Self.byteCount else { return nil }
        func byte(_ offset: Int) -> UInt8 {
            bytes[bytes.index(bytes.startIndex, offsetBy: offset)]
        }
        func number(_ offset: Int) -> UInt16 {
            UInt16(byte(offset)) << 8 | UInt16(byte(offset + 1))
        }
        guard let operation = Operation(rawValue: byte(Offset.versionAndOperation) & 0b111) else {
            return nil
        }
        self.operation = operation
        version = byte(Offset.versionAndOperation) >> 3 & 0b11
        contentByteCount = Int(number(Offset.byteCount))
        group = number(Offset.group)
        sequence = byte(Offset.sequence)
        command = byte(Offset.command)
    }

    /// The encoded header.
    package var bytes: [UInt8] {
        let count = UInt16(clamping: contentByteCount)
        return [
            version << 3 | operation.rawValue, 0,
            UInt8(count >> 8), UInt8(truncatingIfNeeded: count),
            UInt8(group >> 8), UInt8(truncatingIfNeeded: group),
            sequence, command,
        ]
    }
}
