import BLEOTACore
import Testing

@testable import BLEOTA
@testable import BLEOTASMP

@Suite("The machine of a device with SMP")
struct ServerTests {
    private static let image = [UInt8](repeating: 7, count: 1_000)
    private static let sha256 = [UInt8](repeating: 3, count: 32)

    private static func first(_ data: [UInt8], byteCount: Int = 1_000) -> [CBORPair] {
        [
            CBORPair("off", .integer(0)), CBORPair("len", .integer(Int64(byteCount))),
            CBORPair("sha", .bytes(sha256)), CBORPair("data", .bytes(data)),
        ]
    }

    private static func next(_ offset: Int, _ data: [UInt8]) -> [CBORPair] {
        [CBORPair("off", .integer(Int64(offset))), CBORPair("data", .bytes(data))]
    }

    @Test("an upload proceeds from offset to offset, and ends with a match")
    func upload() {
        var talk = ServerTalk()
        #expect(
            talk.send(group: 1, 1, Self.first(Array(Self.image[..<400]))).map(\.offset) == [400]
        )
        #expect(talk.send(group: 1, 1, Self.next(400, Array(Self.image[..<400])))[0].offset == 800)
        // A part that was sent before, and one that is ahead, are answered with the truth.
        #expect(talk.send(group: 1, 1, Self.next(400, Array(Self.image[..<400])))[0].offset == 800)
        #expect(talk.send(group: 1, 1, Self.next(900, Array(Self.image[..<100])))[0].offset == 800)
        let last = talk.send(group: 1, 1, Self.next(800, Array(Self.image[..<200])))[0]
        #expect(last.offset == 1_000 && last.content["match"] == .boolean(true))
        // No upload is open any more.
        #expect(talk.send(group: 1, 1, Self.next(1_000, [1]))[0].offset == 0)
    }

    @Test("an upload with a known hash continues where the store is")
    func resumed() {
        var talk = ServerTalk()
        talk.uploads[UploadID(sha256: Self.sha256, byteCount: 1_000)] = Array(Self.image[..<600])
        #expect(talk.send(group: 1, 1, Self.first(Array(Self.image[..<400])))[0].offset == 600)
        #expect(
            talk.send(group: 1, 1, Self.next(600, Array(Self.image[..<400])))[0].offset == 1_000
        )
    }

    @Test(
        "what is missing or wrong in a request is named",
        arguments: [
            ([CBORPair("len", .integer(9))], 20), ([CBORPair("off", .integer(0))], 21),
            (first([1, 2]), 22), (first(image, byteCount: 500), 31),
            (first(image, byteCount: 900_000), 30),
            (first(image) + [CBORPair("image", .integer(2))], 9),
            ([CBORPair("sha", .bytes([1]))] + first(image), 24),
        ]
    )
    func wrong(_ pairs: [CBORPair], _ code: Int) {
        var talk = ServerTalk()
        #expect(talk.send(group: 1, 1, pairs)[0].error == SMPError(group: 1, code: code))
        let older = talk.send(group: 1, 1, pairs, version: 0)[0]
        #expect(older.header.version == 0 && older.error?.group == nil && older.error != nil)
        #expect(talk.tasks.isEmpty)
    }

    @Test("data beyond the length ends the upload")
    func overrun() {
        var talk = ServerTalk()
        _ = talk.send(group: 1, 1, Self.first(Array(Self.image[..<400])))
        let reply = talk.send(group: 1, 1, Self.next(400, Self.image))[0]
        #expect(reply.error == SMPError(group: 1, code: 31))
        #expect(talk.send(group: 1, 1, Self.next(400, [1]))[0].offset == 0)
        #expect(talk.uploads.isEmpty)
    }

    @Test("the requests of the OS group are answered")
    func system() {
        var talk = ServerTalk()
        #expect(talk.send(group: 0, 0, [CBORPair("d", .text("hi"))])[0].content["r"] == .text("hi"))
        let limits = talk.send(.read, group: 0, 6)[0].content
        #expect(limits["buf_size"] == .integer(2_475) && limits["buf_count"] == .integer(4))
        let format = [CBORPair("format", .text("sn"))]
        #expect(talk.send(.read, group: 0, 7, format)[0].content["output"] == .text("Linux lamp"))
        #expect(talk.send(.read, group: 0, 8)[0].content["bootloader"] == .text("bleota"))
        let query = [CBORPair("query", .text("mode"))]
        #expect(talk.send(.read, group: 0, 8, query)[0].error == SMPError(group: 0, code: 2))
        #expect(talk.send(group: 0, 5)[0].error == nil)
        #expect(talk.tasks == [.restart])
        #expect(talk.send(group: 63, 0)[0].error == .notSupported)
    }

    @Test("a change of state is answered with the list of images")
    func state() {
        var talk = ServerTalk()
        talk.slots = [
            ImageSlot(number: 0, version: "1.2.3+4", hash: [1], byteCount: 9, isActive: true)
        ]
        let hash = [CBORPair("hash", .bytes([1, 2])), CBORPair("confirm", .boolean(true))]
        let reply = talk.send(group: 1, 0, hash)[0]
        #expect(ImageList(reply)?.slots.first?.version == "1.2.3.4")
        #expect(talk.tasks == [.mark(hash: [1, 2], isForGood: true), .slots])
        #expect(talk.send(group: 1, 0)[0].error == SMPError(group: 1, code: 24))
    }

    @Test("requests arrive in pieces; those that are too long are skipped")
    func pieces() {
        var talk = ServerTalk()
        var writer = CBORWriter()
        writer.write(.map([CBORPair("d", .text(String(repeating: "x", count: 100)))]))
        func header(_ byteCount: Int) -> [UInt8] {
            SMPHeader(.write, group: 0, command: 0, sequence: 1, contentByteCount: byteCount).bytes
        }
        let echo = header(writer.bytes.count) + writer.bytes
        for length in [1, 7, 8, 9, 200] {
            #expect(talk.send(raw: echo + echo, pieceByteCount: length).count == 2)
        }
        let long = header(60_000) + [UInt8](repeating: 0, count: 60_000)
        let replies = talk.send(raw: long + echo, pieceByteCount: 244)
        #expect(replies.map(\.error) == [.messageTooLarge, nil])
        // A request that stays incomplete does not swallow the next one for ever.
        #expect(talk.send(raw: header(2_000)).isEmpty)
        talk.wait(.seconds(6))
        #expect(talk.send(raw: echo).count == 1)
    }

    @Test("while the store works, only as many requests wait as there are buffers")
    func buffers() {
        var talk = ServerTalk()
        talk.isStoreBusy = true
        #expect(talk.send(.read, group: 1, 0).isEmpty)
        for _ in 0..<10 { #expect(talk.send(group: 0, 0, [CBORPair("d", .text("a"))]).isEmpty) }
        #expect(talk.answer(.slots([])).count == 5)
    }

    @Test("an error of the store reaches the client, and the upload is over")
    func failed() {
        var talk = ServerTalk()
        _ = talk.send(group: 1, 1, Self.first(Array(Self.image[..<400])))
        talk.failure = .image(.writeFailed)
        let reply = talk.send(group: 1, 1, Self.next(400, [1, 2]))[0]
        #expect(reply.error == SMPError(group: 1, code: 12))
        talk.failure = nil
        #expect(talk.send(group: 1, 1, Self.next(400, [1, 2]))[0].offset == 0)
    }
}
