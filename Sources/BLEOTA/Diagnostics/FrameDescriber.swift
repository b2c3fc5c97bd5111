package import BLEOTACore
import BLEOTAWire

/// Describes the datagrams of a link, one line each.
///
/// The describer tracks the state of the link, because the checksums of later frames depend on
/// the session in OPEN and on the object and epoch in ACK. Give it the datagrams of both
/// directions, in order.
///
/// ```swift
/// var describer = FrameDescriber()
/// for record in trace { print(describer.describe(record.bytes, on: record.channel)) }
/// ```
package struct FrameDescriber: Sendable {
    private var session: SessionNumber?
    /// The session number of the latest QUERY or CHALLENGE. The checksum of the answer covers it.
    private var querySession: SessionNumber?
    private var chunkSize: ChunkSize?
    /// The object and epoch that a data frame's checksum covers, and the progress of the
    /// object.
    private struct Account {
        let object: ObjectID
        let epoch: Epoch
        var cumulative: UInt32
    }

    /// The last two acknowledgement states, the newest last. On a link that does not preserve
    /// order, chunks and ACKs of an epoch may arrive after the next epoch has begun.
    private var accounts: [Account] = []
    private static let accountCountMax = 2

    /// Creates a describer; `session` is the session of the link, if it is already known.
    package init(session: SessionNumber? = nil) { self.session = session }

    /// Describes a line of a trace or a line of hexadecimal digits; `nil` for an empty line or
    /// a comment, which begins with `#`.
    ///
    /// - Returns: a description, which begins with `?` if the line is not a valid frame.
    package mutating func describe(line: String) throws(TraceError) -> String? {
        let fields = line.split(whereSeparator: \.isWhitespace)
        guard let first = fields.first, !first.hasPrefix("#") else { return nil }
        if fields.count == 1 {
            let record = try TraceRecord(line: "0 out data \(first)")
            return describe(record.bytes, on: nil)
        }
        let record = try TraceRecord(line: line)
        let text = describe(record.bytes, on: record.channel)
        let isFrame = !text.hasPrefix("?")
        let position = "\(fields[0]) \(record.direction == .out ? "→" : "←") "
        return isFrame ? position + text : "? " + position + text.dropFirst(2)
    }

    /// Describes a datagram.
    ///
    /// - Parameter channel: the channel that carried the datagram; `nil` if it is unknown, in
    ///   which case the content determines the kind of frame.
    package mutating func describe(_ bytes: [UInt8], on channel: Datagram.Channel?) -> String {
        switch channel {
        case .control:
            return describeControl(bytes) ?? "? not a control frame: \(HexText.text(bytes))"
        case .data: return describeData(bytes)
        case nil:
            if ControlOpcode(peeking: bytes.span.bytes) != nil,
                let text = describeControl(bytes)
            {
                return text
            }
            return describeData(bytes)
        }
    }

    // MARK: - Control

    private mutating func describeControl(_ bytes: [UInt8]) -> String? {
        guard let opcode = ControlOpcode(peeking: bytes.span.bytes) else { return nil }
        if !opcode.isFromReceiver {
            guard let frame = try? SenderControl(decoding: bytes.span.bytes) else { return nil }
            return describe(frame)
        }
        let isAnswer = opcode == .status || opcode == .proof
        let session = isAnswer ? querySession ?? session : session
        if let session,
            let frame = try? ReceiverControl(decoding: bytes.span.bytes, session: session)
        {
            return describe(frame)
        }
        // The session number and the checksum are both 16 bits long, so a frame is valid for
        // exactly one session.
        for candidate in 0...UInt16.max {
            let candidate = SessionNumber(candidate)
            if let frame = try? ReceiverControl(decoding: bytes.span.bytes, session: candidate) {
                return session == nil
                    ? describe(frame) + " (if session \(Self.hex(candidate)))"
                    : "? from another session, or damaged: \(HexText.text(bytes))"
            }
        }
        return nil
    }

    private mutating func describe(_ frame: SenderControl) -> String {
        switch frame {
        case .open(let open):
            session = open.session
            chunkSize = open.chunkSize
            accounts = []
            return "OPEN session \(Self.hex(open.session)), chunks of \(open.chunkSize.byteCount) "
                + "bytes, manifest of \(open.manifestByteCount) bytes, transfer \(open.tag.hex)"
        case .poll(let poll):
            return "POLL session \(Self.hex(poll.session)), \(Self.name(poll.object)) epoch "
                + "\(poll.epoch.rawValue)"
        case .close(let close):
            return "CLOSE session \(Self.hex(close.session)), \(Self.name(close.reason))"
        case .query(let query):
            querySession = query.session
            return "QUERY session \(Self.hex(query.session))"
        case .challenge(let challenge):
            querySession = challenge.session
            return "CHALLENGE session \(Self.hex(challenge.session)), offset \(challenge.offset), "
                + "nonce \(ReceiptNonce(challenge.nonce))"
        }
    }

    private mutating func describe(_ frame: ReceiverControl) -> String {
        switch frame {
        case .request(let request):
            session = request.session
            return "REQUEST session \(Self.hex(request.session)), name \(request.nameTag.hex)"
        case .acknowledgement(let acknowledgement): return describe(acknowledgement)
        case .busy(let busy):
            return "BUSY \(busy.phase), \(Self.name(busy.object)) epoch \(busy.epoch.rawValue)"
                + (busy.millisecondsLeft > 0 ? ", \(busy.millisecondsLeft) ms left" : "")
        case .result(let result):
            return
                "RESULT \(Self.name(result.reason)), detail 0x\(String(result.detail, radix: 16))"
        case .echoReply(let reply):
            return "ECHO REPLY token \(reply.token), \(reply.byteCount) bytes"
        case .status(let status):
            let tag = TransferTag(rawValue: status.runningTag).hex
            return "STATUS \(status.state), running \(status.runningTag == 0 ? "-" : tag)"
        case .proof(let proof):
            return "PROOF offset \(proof.offset), \(proof.piece.byteCount) bytes"
        }
    }

    private mutating func describe(_ acknowledgement: Acknowledgement) -> String {
        let cumulative = follow(acknowledgement)
        var text =
            "ACK \(Self.name(acknowledgement.object)) epoch \(acknowledgement.epoch.rawValue)"
        text += ", chunk \(cumulative)"
        switch acknowledgement.credit {
        case .chunks(let count): text += ", credit \(count)"
        case .unlimited: text += ", credit unlimited"
        }
        text += ", durable \(acknowledgement.durableByteCount) bytes"
        let shown = (0..<acknowledgement.bitmap.endIndex).filter { acknowledgement.bitmap[$0] }
        if !shown.isEmpty {
            text += ", also " + Self.ranges(shown.map { Int(cumulative) + 1 + $0 })
        }
        if acknowledgement.delayMilliseconds > 0 {
            text += ", delayed by \(acknowledgement.delayMilliseconds) ms"
        }
        return text + (acknowledgement.answersPoll ? ", polled" : "")
    }

    /// Updates the state with an ACK and returns its cumulative acknowledgement.
    private mutating func follow(_ acknowledgement: Acknowledgement) -> UInt32 {
        let cumulative =
            chunkSize.map { acknowledgement.cumulative(chunkSize: $0) }
            ?? UInt32(acknowledgement.truncatedCumulative)
        let known = accounts.lastIndex {
            $0.object == acknowledgement.object && $0.epoch == acknowledgement.epoch
        }
        if let known {
            accounts[known].cumulative = cumulative
            return cumulative
        }
        if accounts.count == Self.accountCountMax { accounts.removeFirst() }
        accounts.append(
            Account(
                object: acknowledgement.object,
                epoch: acknowledgement.epoch,
                cumulative: cumulative
            )
        )
        return cumulative
    }

    // MARK: - Data

    private func describeData(_ bytes: [UInt8]) -> String {
        guard let frame = try? DataFrame(decoding: bytes.span.bytes) else {
            return "? not a data frame: \(HexText.text(bytes))"
        }
        let poll = frame.isPoll ? ", poll" : ""
        let size = "\(frame.payloadRange.count) bytes\(poll)"
        for account in accounts.reversed() {
            guard let index = index(of: frame, bytes, in: account) else { continue }
            return
                "DATA \(Self.name(account.object)) epoch \(account.epoch.rawValue), chunk \(index)"
                + ", \(size)"
        }
        if DataFrame.isIntact(
            bytes.span.bytes,
            chunkIndex: UInt32(frame.token),
            header: .echo
        ) {
            return "ECHO token \(frame.token), \(frame.byteCount) bytes"
        }
        let text = "DATA chunk \(frame.token) modulo 32,768, \(size)"
        return accounts.isEmpty
            ? text + " (checksum not checked: session and epoch unknown)"
            : "? " + text + ", from another epoch, or damaged"
    }

    /// The index of the chunk in a frame, if the checksum is valid for this epoch.
    private func index(of frame: DataFrame, _ bytes: [UInt8], in account: Account) -> UInt32? {
        guard let session, let index = frame.chunkIndex(near: account.cumulative) else {
            return nil
        }
        let header = PseudoHeader(session: session, object: account.object, epoch: account.epoch)
        let isIntact = DataFrame.isIntact(bytes.span.bytes, chunkIndex: index, header: header)
        return isIntact ? index : nil
    }

    // MARK: - Formatting

    private static func name(_ object: ObjectID) -> String {
        switch object {
        case .manifest: "manifest"
        case .image: "image"
        default: "object \(object.rawValue)"
        }
    }

    private static func name(_ reason: Reason) -> String { reason.name ?? hex(reason.rawValue) }

    private static func hex(_ session: SessionNumber) -> String { hex(session.rawValue) }

    private static func hex(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Formats ascending numbers as ranges, such as `3–5, 8`.
    private static func ranges(_ numbers: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)"
        }
        .joined(separator: ", ")
    }
}
