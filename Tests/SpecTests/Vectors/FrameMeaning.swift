import BLEOTATestSupport
import BLEOTAWire
import Testing

/// What the bytes of a frame mean, as a vector states it. Each kind of frame has some of the
/// fields.
struct FrameMeaning: Decodable {
    let frame: String
    let session: UInt16?
    let chunkSize: Int?
    let manifestByteCount: UInt32?
    let transferTag: Hex?
    let nameTag: Hex?
    let object: UInt8?
    let epoch: UInt8?
    let flags: UInt8?
    let cumulative: UInt16?
    let credit: UInt16?
    let durableByteCount: UInt32?
    let delay: UInt8?
    let bitmap: Hex?
    let phase: UInt8?
    let millisecondsLeft: UInt16?
    let version: UInt8?
    let reason: UInt16?
    let detail: HexNumber?
    let token: UInt16?
    let byteCount: UInt16?
    let index: UInt32?
    let poll: Bool?
    let payloadByteCount: Int?
    let state: UInt8?
    let runningTag: Hex?
    let offset: UInt8?
    let nonce: Hex?
    let piece: Hex?

    /// The frame, when a sender sends it in control; `nil` for others.
    func fromSender() throws -> SenderControl? {
        switch frame {
        case "OPEN":
            let words = UInt8(try required(chunkSize) / 4)
            return .open(
                .init(
                    session: try requireSession(),
                    chunkSize: try required(ChunkSize(wordCount: words)),
                    manifestByteCount: try required(manifestByteCount),
                    tag: TransferTag(rawValue: try required(transferTag).littleEndianNumber)
                )
            )
        case "POLL":
            return .poll(
                .init(
                    session: try requireSession(),
                    object: try requireObject(),
                    epoch: try requireEpoch()
                )
            )
        case "CLOSE":
            return .close(
                .init(
                    session: try requireSession(),
                    reason: Reason(rawValue: try required(reason))
                )
            )
        case "QUERY": return .query(.init(session: try requireSession()))
        case "CHALLENGE":
            let nonce = try required(nonce).bytes
            return .challenge(
                .init(
                    session: try requireSession(),
                    offset: try required(offset),
                    nonce: ChallengeNonce(
                        low: nonce[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) },
                        high: nonce[8...].reversed().reduce(0) { $0 << 8 | UInt32($1) }
                    )
                )
            )
        default: return nil
        }
    }

    /// The frame, when a receiver sends it; `nil` for others.
    func fromReceiver() throws -> ReceiverControl? {
        switch frame {
        case "REQUEST":
            return .request(
                .init(
                    session: try requireSession(),
                    nameTag: TransferTag(rawValue: try required(nameTag).littleEndianNumber)
                )
            )
        case "ACK": return .acknowledgement(try account())
        case "BUSY":
            return .busy(
                .init(
                    phase: try required(BusyPhase(rawValue: try required(phase))),
                    object: try requireObject(),
                    epoch: try requireEpoch(),
                    millisecondsLeft: try required(millisecondsLeft)
                )
            )
        case "RESULT":
            return .result(
                .init(
                    reason: Reason(rawValue: try required(reason)),
                    detail: try required(detail).value
                )
            )
        case "ECHO REPLY":
            return .echoReply(
                .init(token: try required(token), byteCount: try required(byteCount))
            )
        case "STATUS":
            return .status(
                .init(
                    state: try required(RunningState(rawValue: try required(state))),
                    runningTag: try required(runningTag).littleEndianNumber
                )
            )
        case "PROOF":
            let bytes = try required(piece).bytes
            let piece = ReceiptPiece(bytes.span.bytes)
            return .proof(.init(offset: try required(offset), piece: piece))
        default: return nil
        }
    }

    private func account() throws -> Acknowledgement {
        Acknowledgement(
            answersPoll: try required(flags) == 1,
            object: try requireObject(),
            epoch: try requireEpoch(),
            truncatedCumulative: try required(cumulative),
            credit: try required(Credit(rawValue: try required(credit))),
            durableByteCount: try required(durableByteCount),
            delayMilliseconds: try required(delay),
            bitmap: ReceivedBitmap(bytes: try required(bitmap).bytes)
        )
    }

    func requireObject() throws -> ObjectID { ObjectID(rawValue: try required(object)) }

    func requireEpoch() throws -> Epoch { Epoch(try required(epoch)) }

    private func requireSession() throws -> SessionNumber { SessionNumber(try required(session)) }
}

extension ReceivedBitmap {
    /// A bitmap from up to 64 bytes as they are sent.
    init(bytes: [UInt8]) {
        self.init()
        for index in 0..<bytes.count * 8 {
            self[index] = bytes[index / 8] >> (index % 8) & 1 == 1
        }
    }
}
