import BLEOTACore

/// Frames in words, for traces.
enum FrameDescription {
    static func of(_ transmission: SenderTransmission) -> String {
        switch transmission {
        case .control(let frame): "\(frame)"
        case .data(let chunk):
            "\(chunk.object == .image ? "image" : "manifest") \(chunk.index)"
                + (chunk.isPoll ? " P" : "") + (chunk.isRepeated ? " again" : "")
        case .echo(_, let byteCount): "echo \(byteCount)"
        }
    }

    static func of(_ frame: ReceiverControl) -> String {
        guard case .acknowledgement(let account) = frame else { return "\(frame)" }
        let bits = (0..<account.bitmap.endIndex).map { account.bitmap[$0] ? "1" : "0" }.joined()
        return "ACK \(account.object.rawValue) e\(account.epoch.rawValue) "
            + "cum \(account.truncatedCumulative) credit \(account.credit.rawValue) "
            + "durable \(account.durableByteCount)\(account.answersPoll ? " poll" : "") \(bits)"
    }

    static func ofSender(_ datagram: [UInt8]) -> String {
        (try? SenderControl(decoding: datagram.span.bytes)).map { "\($0)" } ?? "damaged control"
    }

    static func ofReceiver(_ datagram: [UInt8], session: SessionNumber) -> String {
        (try? ReceiverControl(decoding: datagram.span.bytes, session: session)).map(of)
            ?? "damaged control, or of another session"
    }
}
