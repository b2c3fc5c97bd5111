import BLEOTACore

/// Control frames, as one end reads them and writes them again.
enum ControlVector {
    static func readFromSender(_ input: inout VectorInput, _ reading: inout Reading) {
        let bytes = input.remainder()
        do throws(FrameDecodingError) {
            let frame = try SenderControl(decoding: bytes.bytes)
            say(frame, &reading)
            FrameBuffer.say(&reading, "written") { frame.encode(into: &$0) }
        } catch {
            say(error, of: bytes, &reading)
            guard case .version(opening: let session?) = error else { return }
            let answer = ReceiverControl.result(
                .init(reason: .version, detail: ProtocolVersion.resultDetail)
            )
            FrameBuffer.say(&reading, "answer") { answer.encode(session: session, into: &$0) }
        }
    }

    static func readFromReceiver(_ input: inout VectorInput, _ reading: inout Reading) {
        let session = SessionNumber(input.uint16())
        let bytes = input.remainder()
        do throws(FrameDecodingError) {
            let frame = try ReceiverControl(decoding: bytes.bytes, session: session)
            say(frame, &reading)
            // A RESULT of another version is read, but only written by an end of that version.
            guard bytes[0] >> 4 == ProtocolVersion.current else { return }
            FrameBuffer.say(&reading, "written") { frame.encode(session: session, into: &$0) }
        } catch {
            say(error, of: bytes, &reading)
        }
    }

    private static func say(_ frame: SenderControl, _ reading: inout Reading) {
        switch frame {
        case .open(let open):
            reading.say("OPEN")
            reading.field("session", open.session.rawValue)
            reading.field("chunkSize", open.chunkSize.byteCount)
            reading.field("manifestByteCount", open.manifestByteCount)
            reading.field("transferTag", littleEndian: open.tag.rawValue)
        case .poll(let poll):
            reading.say("POLL")
            reading.field("session", poll.session.rawValue)
            reading.field("object", poll.object.rawValue)
            reading.field("epoch", poll.epoch.rawValue)
        case .close(let close):
            reading.say("CLOSE")
            reading.field("session", close.session.rawValue)
            reading.field("reason", close.reason.rawValue)
        case .query(let query):
            reading.say("QUERY")
            reading.field("session", query.session.rawValue)
        case .challenge(let challenge):
            reading.say("CHALLENGE")
            reading.field("session", challenge.session.rawValue)
            reading.field("offset", challenge.offset)
            challenge.nonce.say(&reading)
        }
    }

    private static func say(_ frame: ReceiverControl, _ reading: inout Reading) {
        switch frame {
        case .request(let request):
            reading.say("REQUEST")
            reading.field("session", request.session.rawValue)
            reading.field("nameTag", littleEndian: request.nameTag.rawValue)
        case .acknowledgement(let account): say(account, &reading)
        case .busy(let busy):
            reading.say("BUSY")
            reading.field("phase", busy.phase.rawValue)
            reading.field("object", busy.object.rawValue)
            reading.field("epoch", busy.epoch.rawValue)
            reading.field("millisecondsLeft", busy.millisecondsLeft)
        case .result(let result):
            reading.say("RESULT")
            reading.field("reason", result.reason.rawValue)
            reading.field("detail", hex: result.detail)
        case .echoReply(let reply):
            reading.say("ECHO REPLY")
            reading.field("token", reply.token)
            reading.field("byteCount", reply.byteCount)
        case .status(let status):
            reading.say("STATUS")
            reading.field("state", status.state.rawValue)
            reading.field("runningTag", littleEndian: status.runningTag)
        case .proof(let proof):
            reading.say("PROOF")
            reading.field("offset", proof.offset)
            proof.piece.say(&reading)
        }
    }

    private static func say(_ account: Acknowledgement, _ reading: inout Reading) {
        reading.say("ACK")
        reading.field("flags", account.answersPoll ? 1 : 0)
        reading.field("object", account.object.rawValue)
        reading.field("epoch", account.epoch.rawValue)
        reading.field("cumulative", account.truncatedCumulative)
        reading.field("credit", account.credit.rawValue)
        reading.field("durableByteCount", account.durableByteCount)
        reading.field("delay", account.delayMilliseconds)
        account.bitmap.say(&reading)
    }

    private static func say(
        _ error: FrameDecodingError,
        of bytes: UnsafeRawBufferPointer,
        _ reading: inout Reading
    ) {
        // A frame too short for a checksum has no version or opcode for the vectors yet.
        let reason: StaticString =
            switch error {
            case _ where bytes.count < 3: "length"
            case .empty, .length: "length"
            case .version: "version"
            case .opcode: "opcode"
            case .checksum: "checksum"
            case .reserved: "reserved"
            case .range: "range"
            }
        reading.say("refused")
        reading.field("reason", reason)
    }
}
