import BLEOTACore
import BLEOTAHost

/// Describes frames and the store's answers in traces; equal runs give equal descriptions.
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
        guard case .acknowledgement(let ack) = frame else { return "\(frame)" }
        let bits = (0..<ack.bitmap.endIndex).map { ack.bitmap[$0] ? "1" : "0" }.joined()
        return "ACK \(ack.object.rawValue) e\(ack.epoch.rawValue) "
            + "cum \(ack.truncatedCumulative) credit \(ack.credit.rawValue) "
            + "durable \(ack.durableByteCount)\(ack.answersPoll ? " poll" : "") \(bits)"
    }

    static func ofSender(_ datagram: [UInt8]) -> String {
        (try? SenderControl(decoding: datagram.span.bytes)).map { "\($0)" }
            ?? "damaged control frame"
    }

    static func ofReceiver(_ datagram: [UInt8], session: SessionNumber) -> String {
        (try? ReceiverControl(decoding: datagram.span.bytes, session: session)).map(of)
            ?? "control frame that is damaged or belongs to another session"
    }

    static func of(_ outcome: SenderOutcome) -> String {
        switch outcome {
        case .wrongDigest(let detail): "wrongReceipt(\(detail))"
        case .aborted(let reason): "gaveUp(\(String(reflecting: reason)))"
        case .verified, .refused: "\(outcome)"
        }
    }

    static func of(_ answer: StorageAnswer) -> String {
        switch answer {
        case .planned(let plan): "planned(\(of(plan)))"
        case .manifestMismatch(let plan): "manifestMismatch(\(of(plan)))"
        case .alreadyCurrent(let digestPrefix): "alreadyCurrent(receipt: \(digestPrefix))"
        case .published(let digestPrefix): "published(receipt: \(digestPrefix))"
        default: "\(answer)"
        }
    }

    static func of(_ operation: FlashModel.Operation) -> String {
        switch operation {
        case .erase(let page): "erases page \(page)"
        case .program(let address, let bytes): "programs \(bytes.count) bytes at \(address)"
        }
    }

    /// Describes a plan without its block map, whose description contains memory addresses.
    private static func of(_ plan: ObjectPlan) -> String {
        "object \(plan.object.rawValue), \(plan.byteCount) bytes in blocks of "
            + "\(plan.blockByteCount)"
    }
}
