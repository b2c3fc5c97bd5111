import BLEOTAWire

/// Frames to try things on: one of each kind, all extremes of the fields, and random ones.
enum Sample {
    static let session = SessionNumber(0x1234)
    static let sessions: [SessionNumber] = [0, 1, 0x00FF, 0x8000, 0xFFFF].map(SessionNumber.init)

    /// One frame of each opcode that a sender sends.
    static let eachFromSender: [SenderControl] = [
        .open(
            .init(
                session: session,
                chunkSize: ChunkSize(wordCount: 61)!,
                manifestByteCount: 4_178,
                tag: TransferTag(rawValue: 0x0123_4567_89AB_CDEF)
            )
        ),
        .poll(.init(session: session, object: .image, epoch: Epoch(7))),
        .close(.init(session: session, reason: .cancelled)),
        .query(.init(session: session)),
        .challenge(.init(session: session, offset: 14, nonce: nonce)),
    ]

    /// One frame of each opcode that a receiver sends; of ACK one for each kind of bitmap.
    static let eachFromReceiver: [ReceiverControl] =
        bitmaps.map { .acknowledgement(acknowledgement(bitmap: $0)) } + [
            .request(
                .init(session: session, nameTag: TransferTag(rawValue: 0xFEDC_BA98_7654_3210))
            ),
            .busy(
                .init(phase: .judging, object: .manifest, epoch: Epoch(200), millisecondsLeft: 900)
            ),
            .result(.init(reason: .blockMismatch, detail: 77)),
            .echoReply(.init(token: 0x7ABC, byteCount: 244)),
            .status(.init(state: .onTrial, runningTag: 0x1122_3344_5566_7788)),
        ] + [0, 1, 14, 75].map { .proof(.init(offset: 28, piece: piece(byteCount: $0))) }

    static let nonce = ChallengeNonce(low: 0x0706_0504_0302_0100, high: 0x0B0A_0908)

    static func piece(byteCount: Int, first: UInt8 = 0xA0) -> ReceiptPiece {
        let bytes = (0..<byteCount).map { first &+ UInt8($0) }
        return ReceiptPiece(bytes.span.bytes)
    }

    /// No bit, one bit, the last of a byte, the first of the next, the last of all, and all.
    static let bitmaps: [ReceivedBitmap] = [[], [0], [7], [8], [0, 511], Array(0..<512)].map(bitmap)

    static func bitmap(settingBits bits: some Sequence<Int>) -> ReceivedBitmap {
        var bitmap = ReceivedBitmap()
        for bit in bits { bitmap[bit] = true }
        return bitmap
    }

    static func acknowledgement(
        truncatedCumulative: UInt16 = 0xBEEF,
        durableByteCount: UInt32 = 1_000_000,
        bitmap: ReceivedBitmap = ReceivedBitmap()
    ) -> Acknowledgement {
        Acknowledgement(
            answersPoll: true,
            object: .image,
            epoch: Epoch(3),
            truncatedCumulative: truncatedCumulative,
            credit: .chunks(200),
            durableByteCount: durableByteCount,
            delayMilliseconds: 12,
            bitmap: bitmap
        )
    }

    /// The product of the extremes of all fields.
    static var extremesFromSender: [SenderControl] {
        var frames: [SenderControl] = []
        for session in sessions {
            for wordCount: UInt8 in [3, 4, 60, 127] {
                for byteCount: UInt32 in [66, 67, 0x1_0000, 33_554_432] {
                    for tag: UInt64 in [0, 1, 0x8000_0000_0000_0000, .max] {
                        frames.append(
                            .open(
                                .init(
                                    session: session,
                                    chunkSize: ChunkSize(wordCount: wordCount)!,
                                    manifestByteCount: byteCount,
                                    tag: TransferTag(rawValue: tag)
                                )
                            )
                        )
                    }
                }
            }
            for object in [ObjectID.manifest, .image] {
                for epoch: UInt8 in [0, 1, 127, 128, 255] {
                    frames.append(
                        .poll(.init(session: session, object: object, epoch: Epoch(epoch)))
                    )
                }
            }
            for reason: UInt16 in [0, 1, 0x0101, 0x00FF, 0xFF00, 0xFFFF] {
                frames.append(.close(.init(session: session, reason: Reason(rawValue: reason))))
            }
            for offset: UInt8 in [0, 1, 255] {
                for (low, high): (UInt64, UInt32) in [(0, 0), (1, 0), (0, 1), (.max, .max)] {
                    let nonce = ChallengeNonce(low: low, high: high)
                    frames.append(
                        .challenge(.init(session: session, offset: offset, nonce: nonce))
                    )
                }
            }
        }
        return frames
    }

    /// The product of the extremes of all fields.
    static var extremesFromReceiver: [ReceiverControl] {
        var frames: [ReceiverControl] = extremeAccounts.map { .acknowledgement($0) }
        for session in sessions {
            for tag: UInt64 in [0, 1, .max] {
                frames.append(
                    .request(.init(session: session, nameTag: TransferTag(rawValue: tag)))
                )
            }
        }
        for phase in [BusyPhase.lookingUp, .judging, .writing, .verifying] {
            for object in [ObjectID.manifest, .image] {
                for (epoch, time): (UInt8, UInt16) in [(0, 0), (255, 0xFFFF), (128, 0x00FF)] {
                    frames.append(
                        .busy(
                            .init(
                                phase: phase,
                                object: object,
                                epoch: Epoch(epoch),
                                millisecondsLeft: time
                            )
                        )
                    )
                }
            }
        }
        for reason: UInt16 in [0, 0x0101, 0x0701, 0xFFFF] {
            for detail: UInt64 in [0, 1, 0x00FF_0000_0000_0000, .max] {
                frames.append(
                    .result(.init(reason: Reason(rawValue: reason), detail: detail))
                )
            }
        }
        for (token, byteCount): (UInt16, UInt16) in [(0, 5), (0x7FFF, 512), (0xFF, 0xFF)] {
            frames.append(.echoReply(.init(token: token, byteCount: byteCount)))
        }
        for state: RunningState in [.unknown, .confirmed, .failed] {
            for tag: UInt64 in [0, 1, .max] {
                frames.append(.status(.init(state: state, runningTag: tag)))
            }
        }
        for offset: UInt8 in [0, 1, 255] {
            for byteCount in [0, 1, 74, 75] {
                for first: UInt8 in [0, 0xFF] {
                    let piece = piece(byteCount: byteCount, first: first)
                    frames.append(.proof(.init(offset: offset, piece: piece)))
                }
            }
        }
        return frames
    }

    private static var extremeAccounts: [Acknowledgement] {
        var acknowledgements: [Acknowledgement] = []
        for (answersPoll, object) in [(false, ObjectID.manifest), (true, .image)] {
            for epoch: UInt8 in [0, 128, 255] {
                for cumulative: UInt16 in [0, 0x7FFF, 0xFFFF] {
                    for credit: Credit in [.chunks(0), .chunks(16_383), .unlimited] {
                        for (durable, delay): (UInt32, UInt8) in [(0, 0), (1, 254), (.max, 255)] {
                            for bitmap in bitmaps {
                                acknowledgements.append(
                                    Acknowledgement(
                                        answersPoll: answersPoll,
                                        object: object,
                                        epoch: Epoch(epoch),
                                        truncatedCumulative: cumulative,
                                        credit: credit,
                                        durableByteCount: durable,
                                        delayMilliseconds: delay,
                                        bitmap: bitmap
                                    )
                                )
                            }
                        }
                    }
                }
            }
        }
        return acknowledgements
    }
}
