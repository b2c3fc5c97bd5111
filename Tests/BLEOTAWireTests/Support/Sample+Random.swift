import BLEOTAWire

extension Sample {
    static func randomFromSender(using random: inout SeededGenerator) -> SenderControl {
        let session = SessionNumber(.random(in: 0...UInt16.max, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return .open(
                .init(
                    session: session,
                    chunkSize: ChunkSize(wordCount: .random(in: 3...127, using: &random))!,
                    manifestByteCount: .random(in: 66...33_554_432, using: &random),
                    tag: TransferTag(rawValue: random.next())
                )
            )
        case 1:
            return .poll(
                .init(
                    session: session,
                    object: object(using: &random),
                    epoch: Epoch(.random(in: 0...255, using: &random))
                )
            )
        case 2:
            return .query(.init(session: session))
        case 3:
            let nonce = ChallengeNonce(
                low: random.next(),
                high: .random(in: 0 ... .max, using: &random)
            )
            let offset = UInt8.random(in: 0...255, using: &random)
            return .challenge(.init(session: session, offset: offset, nonce: nonce))
        default:
            return .close(
                .init(
                    session: session,
                    reason: Reason(rawValue: .random(in: 0...UInt16.max, using: &random))
                )
            )
        }
    }

    static func randomFromReceiver(using random: inout SeededGenerator) -> ReceiverControl {
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            return .request(
                .init(
                    session: SessionNumber(.random(in: 0...UInt16.max, using: &random)),
                    nameTag: TransferTag(rawValue: random.next())
                )
            )
        case 1:
            return .acknowledgement(acknowledgement(using: &random))
        case 2:
            return .busy(
                .init(
                    phase: BusyPhase(rawValue: .random(in: 1...4, using: &random))!,
                    object: object(using: &random),
                    epoch: Epoch(.random(in: 0...255, using: &random)),
                    millisecondsLeft: .random(in: 0...UInt16.max, using: &random)
                )
            )
        case 3:
            return .result(
                .init(
                    reason: Reason(rawValue: .random(in: 0...UInt16.max, using: &random)),
                    detail: random.next()
                )
            )
        case 4:
            return .status(
                .init(
                    state: RunningState(rawValue: .random(in: 0...4, using: &random))!,
                    runningTag: random.next()
                )
            )
        case 5:
            return .proof(
                .init(
                    offset: .random(in: 0...255, using: &random),
                    piece: piece(
                        byteCount: .random(in: 0...75, using: &random),
                        first: .random(in: 0...255, using: &random)
                    )
                )
            )
        default:
            return .echoReply(
                .init(
                    token: .random(in: 0...0x7FFF, using: &random),
                    byteCount: .random(in: 5...512, using: &random)
                )
            )
        }
    }

    private static func acknowledgement(using random: inout SeededGenerator) -> Acknowledgement {
        let bitCount = Int.random(in: 0...ReceivedBitmap.bitCount, using: &random)
        let bits = (0..<bitCount).filter { _ in Bool.random(using: &random) }
        let isPaced = Bool.random(using: &random)
        return Acknowledgement(
            answersPoll: .random(using: &random),
            object: object(using: &random),
            epoch: Epoch(.random(in: 0...255, using: &random)),
            truncatedCumulative: .random(in: 0...UInt16.max, using: &random),
            credit: isPaced ? .chunks(.random(in: 0...16_383, using: &random)) : .unlimited,
            durableByteCount: .random(in: 0...UInt32.max, using: &random),
            delayMilliseconds: .random(in: 0...255, using: &random),
            bitmap: bitmap(settingBits: bits)
        )
    }

    private static func object(using random: inout SeededGenerator) -> ObjectID {
        Bool.random(using: &random) ? .manifest : .image
    }
}
