import BLEOTATestSupport
import BLEOTAWire
import Testing

/// The transfer that the specification shows byte for byte, read from its text.
@Suite("The worked transfer")
struct WorkedTransferTests {
    private let page: WorkedTransfer
    private let section: Substring

    init() throws {
        let document = try Repository.text(of: "spec/bleota.md")
        let start = try #require(document.firstRange(of: "### 2.5 "))
        section = document[start.lowerBound...].prefix(upTo: "\n## ")
        page = try WorkedTransfer(section)
    }

    @Test("Every frame is read as its lines say, and written again")
    func frames() throws {
        var account: Acknowledgement?
        let session = try #require(page.session)
        for frame in page.frames {
            let (bytes, title) = (frame.bytes, "\(frame.title)")
            if frame.channel == "data" {
                let data = try required(WireCoding.data(bytes), title)
                let adopted = try required(account, title)
                let header = PseudoHeader(
                    session: session,
                    object: adopted.object,
                    epoch: adopted.epoch
                )
                let index = try required(data.chunkIndex(near: 0), title)
                #expect(frame.values == ["P": data.isPoll ? 1 : 0, "index": UInt64(index)])
                let written = WireCoding.dataFrame(
                    chunkIndex: index,
                    isPoll: data.isPoll,
                    payload: bytes[data.payloadRange],
                    header: header
                )
                #expect(written == bytes, "\(title)")
            } else if frame.from == "sender" {
                let read = try WireCoding.fromSender(bytes).get()
                #expect(frame.values == Self.values(of: read), "\(title)")
                #expect(WireCoding.bytes(of: read) == bytes, "\(title)")
            } else {
                let read = try WireCoding.fromReceiver(bytes, session: session).get()
                #expect(frame.values == Self.values(of: read), "\(title)")
                #expect(WireCoding.bytes(of: read, session: session) == bytes, "\(title)")
                if case .acknowledgement(let adopted) = read { account = adopted }
            }
        }
        #expect(page.frames.count == 11)
    }

    @Test("Every number in a line is that of its bytes")
    func numbers() throws {
        for frame in page.frames where frame.channel == "control" {
            for field in frame.fields {
                guard let value = field.values.first?.value else { continue }
                let number = field.bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                #expect(number == value, "\(frame.title): \(field.label)")
            }
        }
    }

    @Test("The payloads are the manifest and the image, whose hashes are in the frames")
    func content() throws {
        let payloads = page.frames.filter { $0.channel == "data" }.compactMap { $0["payload"] }
        let manifest = Array(payloads[..<2].joined())
        let image = Array(payloads[2...].joined())
        let text = try #require(page.text)
        #expect(image == Array((text + "\r\n").utf8))
        let digest = ReferenceSHA256.hash(of: image)
        #expect(Array(manifest[16..<48]) == digest)
        #expect(Array(manifest[48..<64]) == Array(digest[..<16]))
        let tag = ReferenceSHA256.hash(of: manifest)[..<8]
        #expect(page.frames.first?["transfer tag"] == Array(tag))
        let receipts = page.frames.compactMap { $0["detail"] }
        #expect(receipts == [Array(digest[..<8])])
    }

    @Test("What the page says that checksums cover is what they cover")
    func covered() throws {
        let example = #/frame 2 covers the bytes `([0-9A-F ]+)`/#
        let found = try #require(section.firstMatch(of: example))
        let covered = try #require(WorkedTransfer.bytes(of: found.1))
        var checksum = Checksum()
        checksum.update(covered.span.bytes)
        let sent = checksum.value
        let expected = [UInt8(truncatingIfNeeded: sent), UInt8(truncatingIfNeeded: sent >> 8)]
        #expect(page.frames[1]["checksum"] == expected)
    }

    @Test("The packet of the serial binding holds the frame that the page names")
    func serialPacket() throws {
        let document = try Repository.text(of: "spec/bleota.md")
        let example =
            #/session 0x(\w+) is the frame `([0-9A-F ]+)`. It is sent as the bytes `([0-9A-F ]+)`/#
        let found = try #require(document.firstMatch(of: example))
        let frame = try #require(WorkedTransfer.bytes(of: found.2))
        let session = try #require(UInt16(found.1, radix: 16))
        let query = SenderControl.query(.init(session: SessionNumber(session)))
        #expect(WireCoding.fromSender(frame) == .success(query))
        let escaped = frame.flatMap { byte -> [UInt8] in
            switch byte {
            case 0xC0: [0xDB, 0xDC]
            case 0xDB: [0xDB, 0xDD]
            default: [byte]
            }
        }
        #expect(WorkedTransfer.bytes(of: found.3) == [0xC0, 0x00] + escaped + [0xC0])
    }

    private static func values(of frame: SenderControl) -> [String: UInt64] {
        switch frame {
        case .open(let open):
            [
                "session": UInt64(open.session.rawValue),
                "chunk size / 4": UInt64(open.chunkSize.wordCount),
                "manifest byte count": UInt64(open.manifestByteCount),
            ]
        case .close(let close):
            [
                "session": UInt64(close.session.rawValue),
                "reason": UInt64(close.reason.rawValue),
            ]
        case .poll, .query, .challenge: [:]
        }
    }

    private static func values(of frame: ReceiverControl) -> [String: UInt64] {
        switch frame {
        case .acknowledgement(let account):
            [
                "flags": account.answersPoll ? 1 : 0,
                "object": UInt64(account.object.rawValue),
                "epoch": UInt64(account.epoch.rawValue),
                "cumulative": UInt64(account.truncatedCumulative),
                "credit": UInt64(account.credit.rawValue),
                "durable byte count": UInt64(account.durableByteCount),
                "delay": UInt64(account.delayMilliseconds),
            ]
        case .result(let result): ["reason": UInt64(result.reason.rawValue)]
        default: [:]
        }
    }
}
