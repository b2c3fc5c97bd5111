import BLEOTACore
import Testing

@testable import BLEOTASMP

/// Uploads as conversations with a device that keeps Zephyr's rules.
@Suite struct UploaderTests {
    private static let limits = BufferLimits(packetByteCountMax: 384, requestCountMax: 3)

    @Test("the first request announces the image, and the others follow from where the device is")
    func conversation() throws {
        var uploader = Self.uploader(imageByteCount: 1_000)
        let first = try uploader.nextChunk(sequence: 1, at: .at(0)).unwrapped
        #expect(first.offset == 0)
        #expect(first.announcement?.imageByteCount == 1_000)
        #expect(first.packet(sequence: 1, data: Self.data(first)).count <= 384)
        #expect(try uploader.nextChunk(sequence: 2, at: .at(0)) == nil)
        #expect(try uploader.replied(to: 1, offset: first.end, at: .at(50)) == .progressed)
        let second = try uploader.nextChunk(sequence: 2, at: .at(50)).unwrapped
        #expect(second.offset == first.end)
        #expect(second.announcement == nil)
        #expect(second.byteCount % 8 == 0)
    }

    @Test("the window grows by a request a round, up to the device's buffers")
    func window() throws {
        var run = UploadRun(imageByteCount: 40_000, limits: Self.limits)
        try run.run()
        #expect(run.device.image == run.image)
        #expect(run.heldMax == 3)
        #expect(run.uploader.repeatCount == 0)
    }

    @Test("an upload that the device has begun is resumed there")
    func resumed() throws {
        var uploader = Self.uploader(imageByteCount: 5_000)
        _ = try uploader.nextChunk(sequence: 1, at: .at(0))
        #expect(
            try uploader.replied(to: 1, offset: 2_048, at: .at(9)) == .resumed(byteCount: 2_048)
        )
        #expect(try uploader.nextChunk(sequence: 2, at: .at(9))?.offset == 2_048)
        #expect(uploader.deviceOffset == 2_048)
    }

    @Test("a device that has the whole image is sent nothing more")
    func whole() throws {
        var uploader = Self.uploader(imageByteCount: 5_000)
        _ = try uploader.nextChunk(sequence: 1, at: .at(0))
        #expect(try uploader.replied(to: 1, offset: 5_000, at: .at(9)) == .completed)
        #expect(try uploader.nextChunk(sequence: 2, at: .at(9)) == nil)
        #expect(uploader.deadline == nil)
    }

    @Test("a dropped request brings the upload back to it, one request at a time")
    func dropped() throws {
        var uploader = Self.streaming()
        let (second, third, fourth) = try Self.sendThree(&uploader)
        #expect(try uploader.replied(to: 2, offset: second.end, at: .at(60)) == .progressed)
        // The device has dropped the third request, and wants it when the fourth comes.
        #expect(try uploader.replied(to: 4, offset: third.offset, at: .at(70)) == .ignored)
        let again = try uploader.nextChunk(sequence: 5, at: .at(70)).unwrapped
        #expect(again.offset == third.offset)
        #expect(try uploader.nextChunk(sequence: 6, at: .at(70)) == nil)
        #expect(uploader.repeatCount == 1)
        #expect(fourth.offset == third.end)
    }

    @Test("replies out of order are taken as they are meant")
    func reordered() throws {
        var uploader = Self.streaming()
        let (second, third, fourth) = try Self.sendThree(&uploader)
        #expect(try uploader.replied(to: 4, offset: fourth.end, at: .at(60)) == .progressed)
        #expect(try uploader.replied(to: 2, offset: second.end, at: .at(61)) == .ignored)
        #expect(try uploader.replied(to: 3, offset: third.end, at: .at(62)) == .ignored)
        #expect(uploader.deviceOffset == fourth.end)
        #expect(try uploader.nextChunk(sequence: 5, at: .at(62))?.offset == fourth.end)
        #expect(uploader.repeatCount == 0)
    }

    @Test("a reply with a sequence number that was not sent changes nothing")
    func stray() throws {
        var uploader = Self.streaming()
        let before = uploader.deviceOffset
        #expect(try uploader.replied(to: 99, offset: 0, at: .at(60)) == .ignored)
        #expect(uploader.deviceOffset == before)
    }

    @Test("a device that has lost the upload gets the announcement again")
    func restarted() throws {
        var uploader = Self.streaming()
        _ = try Self.sendThree(&uploader)
        #expect(try uploader.replied(to: 2, offset: 0, at: .at(60)) == .restarted)
        let first = try uploader.nextChunk(sequence: 5, at: .at(60)).unwrapped
        #expect(first.offset == 0)
        #expect(first.announcement != nil)
        // Requests from before the restart are answered with 0, too.
        #expect(try uploader.replied(to: 3, offset: 0, at: .at(61)) == .ignored)
        #expect(try uploader.replied(to: 5, offset: first.end, at: .at(90)) == .progressed)
    }

    @Test("a device that loses the upload again and again ends it")
    func restartsTooOften() throws {
        var uploader = Self.uploader(imageByteCount: 50_000)
        let first = try uploader.nextChunk(sequence: 0, at: .at(0)).unwrapped
        _ = try uploader.replied(to: 0, offset: first.end, at: .at(1))
        var sequence: UInt8 = 1
        #expect(throws: Uploader.Failure.restartsTooOften) {
            for _ in 0..<20 {
                _ = try uploader.nextChunk(sequence: sequence, at: .at(2))
                _ = try uploader.replied(to: sequence, offset: 0, at: .at(2))
                sequence += 1
                _ = try uploader.nextChunk(sequence: sequence, at: .at(2))
                _ = try uploader.replied(to: sequence, offset: first.end, at: .at(2))
                sequence += 1
            }
        }
    }

    @Test("a device that erases for 30 seconds is waited for, and asked again")
    func erasing() throws {
        var uploader = Self.uploader(imageByteCount: 5_000)
        _ = try uploader.nextChunk(sequence: 1, at: .at(0))
        #expect(try uploader.nextChunk(sequence: 2, at: .at(9_999)) == nil)
        try uploader.expire(at: .at(10_000))
        #expect(try uploader.nextChunk(sequence: 2, at: .at(10_000))?.offset == 0)
        try uploader.expire(at: .at(30_000))
        #expect(try uploader.replied(to: 2, offset: 320, at: .at(30_000)) != .ignored)
    }

    @Test("over a link that loses messages, the first request is repeated after 2, 4 and 8 seconds")
    func openingAgain() throws {
        var uploader = Self.uploader(imageByteCount: 5_000, isReliable: false)
        var moments: [Int] = []
        for tick in 0..<200 {
            let chunk = try uploader.nextChunk(sequence: UInt8(tick), at: .at(tick * 100))
            if chunk != nil { moments.append(tick * 100) }
        }
        #expect(moments == [0, 2_000, 6_000, 14_000])
    }

    @Test("a device that never answers the first request ends the upload after a minute")
    func silentAtFirst() throws {
        var uploader = Self.uploader(imageByteCount: 5_000)
        _ = try uploader.nextChunk(sequence: 1, at: .at(0))
        try uploader.expire(at: .at(59_999))
        #expect(throws: Uploader.Failure.silent) { try uploader.expire(at: .at(60_000)) }
    }

    @Test("without a reply, one request is sent again, and silence ends the upload")
    func silent() throws {
        var uploader = Self.streaming()
        let (second, _, _) = try Self.sendThree(&uploader)
        let timeout = try uploader.deadline.unwrapped
        try uploader.expire(at: timeout)
        #expect(try uploader.nextChunk(sequence: 5, at: timeout)?.offset == second.offset)
        #expect(try uploader.nextChunk(sequence: 6, at: timeout) == nil)
        #expect(throws: Uploader.Failure.silent) { try uploader.expire(at: .at(10_050)) }
    }

    @Test("a device that replies without ever taking data ends the upload as stalled")
    func stalled() throws {
        var uploader = Self.streaming()
        let offset = uploader.deviceOffset
        #expect(throws: Uploader.Failure.stalled) {
            for tick in 1...100 {
                let sequence = UInt8(100 + tick)
                _ = try uploader.nextChunk(sequence: sequence, at: .at(tick * 1_000))
                _ = try uploader.replied(to: sequence, offset: offset, at: .at(tick * 1_000))
                try uploader.expire(at: .at(tick * 1_000))
            }
        }
    }

    @Test("a device without room gets the request again after a pause that doubles")
    func busy() throws {
        var uploader = Self.streaming()
        let offset = uploader.deviceOffset
        _ = try uploader.nextChunk(sequence: 2, at: .at(50))
        uploader.postponed(2, at: .at(60))
        #expect(try uploader.nextChunk(sequence: 3, at: .at(60)) == nil)
        #expect(uploader.deadline == .at(110))
        #expect(try uploader.nextChunk(sequence: 3, at: .at(110))?.offset == offset)
        uploader.postponed(3, at: .at(120))
        #expect(uploader.deadline == .at(220))
    }

    @Test("an offset that the device can't have ends the upload", arguments: [-1, 50_001])
    func impossible(offset: Int) throws {
        var uploader = Self.streaming()
        _ = try uploader.nextChunk(sequence: 2, at: .at(50))
        #expect(throws: Uploader.Failure.impossibleOffset(offset)) {
            try uploader.replied(to: 2, offset: offset, at: .at(51))
        }
    }

    @Test("a device whose buffers hold no part of an image is refused")
    func shortBuffer() throws {
        var uploader = Self.uploader(
            imageByteCount: 5_000,
            limits: BufferLimits(packetByteCountMax: 64, requestCountMax: 1)
        )
        #expect(throws: Uploader.Failure.bufferTooShort) {
            try uploader.nextChunk(sequence: 1, at: .at(0))
        }
    }

    @Test("images of every length arrive, with messages of every length")
    func lengths() throws {
        for byteCount in [1, 31, 32, 33, 300, 301, 2_048, 65_536] {
            for packetByteCountMax in [128, 244, 384, 2_475] {
                var run = UploadRun(
                    imageByteCount: byteCount,
                    limits: BufferLimits(
                        packetByteCountMax: packetByteCountMax,
                        requestCountMax: 3
                    )
                )
                try run.run()
                #expect(run.device.image == run.image)
            }
        }
    }

    // MARK: - Support

    private static func uploader(
        imageByteCount: Int,
        limits: BufferLimits = limits,
        isReliable: Bool = true
    ) -> Uploader {
        Uploader(
            UploadChunk.Announcement(
                imageByteCount: imageByteCount,
                sha256: Array(repeating: 7, count: 32)
            ),
            limits: limits,
            silenceLimit: .seconds(10),
            progressLimit: .seconds(60),
            isReliable: isReliable,
            at: .at(0)
        )
    }

    /// An uploader of 50,000 bytes after the first reply, at 50 ms.
    private static func streaming() -> Uploader {
        var uploader = uploader(imageByteCount: 50_000)
        guard let first = try? uploader.nextChunk(sequence: 1, at: .at(0)) else {
            preconditionFailure("the first request is due at once")
        }
        _ = try? uploader.replied(to: 1, offset: first.end, at: .at(50))
        return uploader
    }

    /// Lets the window grow to three requests, then sends as many with the sequence numbers 2 to 4.
    private static func sendThree(
        _ uploader: inout Uploader
    ) throws -> (UploadChunk, UploadChunk, UploadChunk) {
        for sequence in UInt8(200)..<210 {
            guard let chunk = try uploader.nextChunk(sequence: sequence, at: .at(50)) else { break }
            _ = try uploader.replied(to: sequence, offset: chunk.end, at: .at(50))
        }
        return (
            try uploader.nextChunk(sequence: 2, at: .at(50)).unwrapped,
            try uploader.nextChunk(sequence: 3, at: .at(50)).unwrapped,
            try uploader.nextChunk(sequence: 4, at: .at(50)).unwrapped
        )
    }

    private static func data(_ chunk: UploadChunk) -> [UInt8] {
        Array(repeating: 0, count: chunk.byteCount)
    }
}

extension Instant {
    /// An instant this many milliseconds after the beginning.
    static func at(_ milliseconds: Int) -> Instant {
        Instant(microseconds: Int64(milliseconds) * 1_000)
    }
}
