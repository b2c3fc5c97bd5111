/// One datagram that crossed a ``TracingTransport``.
///
/// As a line of text it reads `<microseconds> <out|in> <control|data> <hex>`, for example
/// `1250 out data 5a00ff`. The line leaves out the delivery and what is finer than a microsecond.
package struct TraceRecord: Sendable, Hashable {
    /// Seen from the end that traces.
    package enum Direction: String, Sendable, Hashable, CaseIterable {
        /// Sent by this end.
        case out
        /// Received by this end.
        case `in`
    }

    /// Time since the trace began.
    package let offset: Duration
    /// Which way it went.
    package let direction: Direction
    /// The channel it was on.
    package let channel: Datagram.Channel
    /// How it was sent; `nil` for what was received, and in a record that was read from text.
    package let delivery: Datagram.Delivery?
    /// Its bytes, 1 to 512.
    package let bytes: [UInt8]

    /// Makes a record; transports and tests do.
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
    /// Reads a line that ``line`` wrote. Any run of spaces or tabs separates fields, and hex may
    /// be of either case.
    ///
    /// - Throws: ``TraceError``, which says what is wrong with the line.
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

    /// The record as one line of text, without a line end.
    package var line: String {
        // In integers: a quotient of durations is a Double, and could be one microsecond off.
        let (seconds, attoseconds) = offset.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let channelName = channel == .control ? "control" : "data"
        return "\(microseconds) \(direction.rawValue) \(channelName) \(HexText.text(bytes))"
    }

    /// The longest value a datagram can have.
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
