import BLEOTACore

/// Joins the pieces of requests, whose headers state their lengths.
///
/// A client can send anything, so the memory is limited, and a request that stays incomplete does
/// not block the next one for longer than a time limit.
struct RequestAssembler: Sendable {
    /// How long the next piece of a request may take. Over Bluetooth, it normally takes at most one
    /// connection interval, which is at most 4 s.
    static let limit = Microseconds.seconds(5)

    /// A request that a piece completes.
    enum Arrival: Sendable, Hashable {
        case request([UInt8])
        /// A request that is too long. Only its header was kept.
        case tooLong(SMPHeader)
    }

    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    /// How many bytes of a request that is too long are still to come.
    private var skippedByteCount = 0
    private var lastPieceAt = Instant(microseconds: 0)

    /// - Parameter byteCountMax: the length of the longest request, header included.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Takes the next piece of a stream, and returns the requests that it completes.
    mutating func take(_ piece: [UInt8], at now: Instant) -> [Arrival] {
        if now - lastPieceAt > Self.limit {
            bytes = []
            skippedByteCount = 0
        }
        lastPieceAt = now
        var rest = piece[...]
        var arrivals: [Arrival] = []
        while !rest.isEmpty {
            if skippedByteCount > 0 {
                let count = min(skippedByteCount, rest.count)
                skippedByteCount -= count
                rest = rest.dropFirst(count)
                continue
            }
            let headerByteCount = SMPHeader.byteCount
            if bytes.count < headerByteCount {
                let missing = rest.prefix(headerByteCount - bytes.count)
                bytes += missing
                rest = rest.dropFirst(missing.count)
                if bytes.count < headerByteCount { break }
            }
            guard let header = SMPHeader(bytes) else {
                // The rest of the piece can't be split into requests.
                bytes = []
                break
            }
            let byteCount = headerByteCount + header.contentByteCount
            guard byteCount <= byteCountMax else {
                arrivals.append(.tooLong(header))
                skippedByteCount = header.contentByteCount
                bytes = []
                continue
            }
            let missing = rest.prefix(byteCount - bytes.count)
            bytes += missing
            rest = rest.dropFirst(missing.count)
            if bytes.count == byteCount {
                arrivals.append(.request(bytes))
                bytes = []
            }
        }
        return arrivals
    }

    /// Takes a message that a link delivers whole. A message whose length differs from the length
    /// in its header is ignored.
    func take(whole message: [UInt8]) -> [Arrival] {
        guard let header = SMPHeader(message),
            message.count == SMPHeader.byteCount + header.contentByteCount
        else { return [] }
        return [message.count <= byteCountMax ? .request(message) : .tooLong(header)]
    }
}
