import BLEOTAWire
import Testing

/// Frames that a page shows field by field.
///
/// A frame begins with a line `1. sender, control: OPEN`. Below it each field has a line: its bytes
/// in hexadecimal, two blanks or more, and what they are. A line of bytes alone continues a field.
struct WorkedTransfer {
    struct Field {
        let label: String
        var bytes: [UInt8]

        /// What the label says of numbers, such as `session = 5`.
        var values: [(name: String, value: UInt64)] {
            label.split(separator: ", ").compactMap { part in
                part.wholeMatch(of: #/(.+) = (\d+)/#).flatMap { match in
                    UInt64(match.2).map { (String(match.1), $0) }
                }
            }
        }
    }

    struct Frame {
        let title: String
        let from: String
        let channel: String
        var fields: [Field] = []

        var bytes: [UInt8] { fields.flatMap(\.bytes) }

        var values: [String: UInt64] {
            Dictionary(uniqueKeysWithValues: fields.flatMap(\.values).map { ($0.name, $0.value) })
        }

        /// The bytes of the field with this label.
        subscript(label: String) -> [UInt8]? { fields.first { $0.label == label }?.bytes }
    }

    private(set) var frames: [Frame] = []
    /// The first block of the page that is no frame.
    private(set) var text: String?

    /// The session that the first frame opens.
    var session: SessionNumber? {
        frames.first?.values["session"].map { SessionNumber(UInt16($0)) }
    }

    init(_ page: Substring) throws {
        var isInside = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside.toggle()
            } else if isInside, !line.isEmpty {
                try add(line)
            }
        }
    }

    static func bytes(of hex: some StringProtocol) -> [UInt8]? {
        let pairs = hex.split(separator: " ")
        let bytes = pairs.compactMap { $0.count == 2 ? UInt8($0, radix: 16) : nil }
        return bytes.count == pairs.count ? bytes : nil
    }

    private mutating func add(_ line: Substring) throws {
        if let head = line.wholeMatch(of: #/\d+\. (\w+), (\w+): .+/#) {
            frames.append(
                Frame(title: String(line), from: String(head.1), channel: String(head.2))
            )
        } else if let field = line.wholeMatch(of: #/ {3}((?:[0-9A-F]{2} ?)+) *(.*)/#) {
            let bytes = try required(Self.bytes(of: field.1), "\(line)")
            guard var frame = frames.popLast() else { return }
            if field.2.isEmpty, var last = frame.fields.popLast() {
                last.bytes += bytes
                frame.fields.append(last)
            } else {
                frame.fields.append(Field(label: String(field.2), bytes: bytes))
            }
            frames.append(frame)
        } else if text == nil {
            text = String(line)
        }
    }
}

extension Substring {
    /// What comes before the first occurrence of some text; all if it does not occur.
    func prefix(upTo text: String) -> Substring {
        firstRange(of: text).map { self[..<$0.lowerBound] } ?? self
    }
}
