import BLEOTA
import FoundationEssentials

/// The framing of SMP on a console, where log lines may come between the frames.
///
/// ```text
/// 06 09 base64 … LF    the first line of a frame
/// 04 14 base64 … LF    each further line
/// ```
///
/// A line has at most 127 bytes. The decoded content is the length of the rest (2 bytes), the
/// message, and its CRC-16/XMODEM; numbers are big-endian. Source: Zephyr, "SMP Transport".
struct ConsoleFraming: SerialFraming {
    static let lineByteCountMax = 127
    /// The length and the checksum of a frame.
    static let overheadByteCount = lengthByteCount + checksumByteCount
    private static let firstMarker: [UInt8] = [0x06, 0x09]
    private static let nextMarker: [UInt8] = [0x04, 0x14]
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let lengthByteCount = 2
    private static let checksumByteCount = 2
    /// Base64 turns 3 bytes into 4.
    private static let contentByteCountPerLine = (lineByteCountMax - 3) / 4 * 3

    private var line: [UInt8] = []
    /// The decoded content of the frame so far; `nil` outside of a frame.
    private var content: [UInt8]?

    /// The lines of one message.
    static func encoded(_ message: [UInt8]) -> [UInt8] {
        let checksum = CRC16.checksum(of: message)
        let count = UInt16(clamping: message.count + checksumByteCount)
        let content =
            [UInt8(count >> 8), UInt8(truncatingIfNeeded: count)] + message
            + [UInt8(checksum >> 8), UInt8(truncatingIfNeeded: checksum)]
        var lines: [UInt8] = []
        var start = 0
        while start < content.count {
            let end = min(start + contentByteCountPerLine, content.count)
            lines += start == 0 ? firstMarker : nextMarker
            lines += Data(content[start..<end]).base64EncodedData()
            lines.append(lineFeed)
            start = end
        }
        return lines
    }

    mutating func take(_ byte: UInt8) -> Datagram? {
        guard byte == Self.lineFeed else {
            // A marker begins a line even if the end of the previous line was damaged.
            for marker in [Self.firstMarker, Self.nextMarker]
            where byte == marker[1] && line.last == marker[0] {
                line = [marker[0]]
            }
            // A line that is too long is not part of a frame. It is cut to one byte more than the
            // limit, which marks it as too long. Its last byte is kept, because that byte may begin
            // a marker.
            if line.count > Self.lineByteCountMax { line.removeLast() }
            line.append(byte)
            return nil
        }
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == Self.carriageReturn { line.removeLast() }
        guard line.count <= Self.lineByteCountMax else { return nil }
        if line.starts(with: Self.firstMarker) {
            content = []
        } else if !line.starts(with: Self.nextMarker) {
            return nil
        }
        guard content != nil, let piece = Data(base64Encoded: Data(line.dropFirst(2))) else {
            content = nil
            return nil
        }
        content?.append(contentsOf: piece)
        return completed()
    }

    /// The message, if the frame is complete.
    private mutating func completed() -> Datagram? {
        guard let content, content.count > Self.lengthByteCount else { return nil }
        let byteCount = Int(content[0]) << 8 | Int(content[1])
        let rest = content[Self.lengthByteCount...]
        if rest.count < byteCount { return nil }
        self.content = nil
        guard rest.count == byteCount, byteCount > Self.checksumByteCount else { return nil }
        let message = Array(rest.dropLast(Self.checksumByteCount))
        let stated = UInt16(rest[rest.endIndex - 2]) << 8 | UInt16(rest[rest.endIndex - 1])
        guard CRC16.checksum(of: message) == stated else { return nil }
        return Datagram(channel: .data, bytes: message)
    }
}

/// The framing of SMP on a line that carries nothing else: the messages follow each other.
///
/// Source: Zephyr, "SMP Transport", raw UART.
struct RawFraming: SerialFraming {
    /// A message whose next byte does not arrive within this time is dropped, so that it does not
    /// swallow the next message.
    private static let limit = Duration.seconds(5)

    private var assembler = MessageAssembler()
    private var lastByteAt = ContinuousClock.now

    mutating func take(_ byte: UInt8) -> Datagram? {
        let now = ContinuousClock.now
        if now - lastByteAt > Self.limit { assembler = MessageAssembler() }
        lastByteAt = now
        do {
            let messages = try assembler.take([byte])
            return messages.first.map { Datagram(channel: .data, bytes: $0) }
        } catch {
            // The bytes were not a message; the next byte may begin one.
            assembler = MessageAssembler()
            return nil
        }
    }
}
