/// One datagram that crossed a ``TracingTransport``.
///
/// As a line of text it reads `<microseconds> <out|in> <control|data> <hex>`, for example `1250 out
/// data 5a00ff`. The line omits the delivery, and fractions of a microsecond.
package struct TraceRecord: Sendable, Hashable {
    /// The direction, from the point of view of the end that traces.
    package enum Direction: String, Sendable, Hashable, CaseIterable {
        /// Sent by this end.
        case out
        /// Received by this end.
        case `in`
    }

    /// The time since the start of the trace.
    package let offset: Duration
    /// Whether the datagram was sent or received.
    package let direction: Direction
    /// The channel of the datagram.
    package let channel: Datagram.Channel
    /// How the datagram was sent; `nil` if it was received, or if the record was parsed from text.
    package let delivery: Datagram.Delivery?
    /// The bytes of the datagram, 1 to 512.
    package let bytes: [UInt8]

    /// Creates a record.
    package init(
        offset: Duration,
        direction: Direction,
        channel: Datagram.Channel,
        delivery: Datagram.Delivery? = nil,
        bytes: [UInt8]
    ) {
        self.offset = offset
        self.direction = direction
        self.channel = channel
        self.delivery = delivery
        self.bytes = bytes
    }
}

extension TraceRecord {
    /// Parses a line in the format of ``line``. Fields may be separated by any run of spaces or
    /// tabs, and hexadecimal digits may be in upper or lower case.
    ///
    /// - Throws: a ``TraceError``, which describes the error in the line.
    package init(line: String) throws(TraceError) {
        let fields = line.split { character in character.isWhitespace }
        guard fields.count == 4 else { throw .fieldCount(fields.count) }
        guard let microseconds = Int64(fields[0]), microseconds >= 0 else {
            throw .time(String(fields[0]))
        }
        guard let direction = Direction(rawValue: String(fields[1])) else {
            throw .direction(String(fields[1]))
        }
        let channel: Datagram.Channel
        switch fields[2] {
        case "control": channel = .control
        case "data": channel = .data
        default: throw .channel(String(fields[2]))
        }
        self.init(
            offset: .microseconds(microseconds),
            direction: direction,
            channel: channel,
            bytes: try Self.bytes(ofHex: fields[3])
        )
    }

    /// The record as one line of text, without a newline.
    package var line: String {
        // Use integers: dividing durations yields a Double, which could be off by one microsecond.
        let (seconds, attoseconds) = offset.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let channelName = channel == .control ? "control" : "data"
        return "\(microseconds) \(direction.rawValue) \(channelName) \(HexText.text(bytes))"
    }

    /// The maximum length of a datagram.
    private static let byteCountMax = 512

    private static func bytes(ofHex text: Substring) throws(TraceError) -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { throw .hexDigitCount(digits.count) }
        guard digits.count / 2 <= byteCountMax else {
            throw .tooLong(byteCount: digits.count / 2, limit: byteCountMax)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = HexText.value(of: digits[index]),
                let low = HexText.value(of: digits[index + 1])
            else { throw .hexDigit(position: index) }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
