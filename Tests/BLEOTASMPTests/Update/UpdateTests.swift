import BLEOTA
import BLEOTACore
import Testing

@testable import BLEOTASMP

/// Updates as conversations with a device.
@Suite struct UpdateTests {
    private static let running = UpdateTalk.slot(
        0,
        UpdateTalk.otherHash,
        active: true,
        confirmed: true
    )
    private static let uploaded = UpdateTalk.slot(1, UpdateTalk.imageHash, version: "2.0.0")
    private static let onTrial = UpdateTalk.slot(0, UpdateTalk.imageHash, active: true)
    private static let kept = UpdateTalk.slot(
        0,
        UpdateTalk.imageHash,
        active: true,
        confirmed: true
    )
    private static let old = UpdateTalk.slot(1, UpdateTalk.otherHash)

    @Test("an image is uploaded, tried, and confirmed after the device is back")
    func whole() throws {
        var talk = UpdateTalk()
        talk.linkUp()
        try talk.inspect([Self.running])
        try talk.takeUpload()
        try talk.answer(.imageState, Self.images(Self.running, Self.uploaded))
        try talk.answer(.setState(hash: UpdateTalk.imageHash, isForGood: false), [])
        try talk.answer(.reset(isForced: false), [])
        #expect(try talk.next() == .reconnect(after: .seconds(1)))
        talk.linkDown()
        talk.linkUp()
        try talk.answer(.imageState, Self.images(Self.onTrial, Self.old))
        try talk.answer(.setState(hash: UpdateTalk.imageHash, isForGood: true), [])
        #expect(try talk.next() == .finish(.confirmed))
        #expect(talk.notes == [.verified, .resetting, .onTrial, .confirmed])
        #expect(try talk.next() == nil)
    }

    @Test("a device that restarts before its answer has left is waited for")
    func resetWithoutAnswer() throws {
        var talk = try Self.resetting(.test)
        talk.linkDown()
        let isRestarting = talk.update.isRestarting
        #expect(isRestarting)
        talk.linkUp()
        try talk.answer(.imageState, Self.images(Self.onTrial, Self.old))
        #expect(try talk.next() == .finish(.onTrial))
    }

    @Test("what a device runs and keeps already needs nothing")
    func alreadyRunning() throws {
        var talk = UpdateTalk()
        talk.linkUp()
        try talk.inspect([Self.kept])
        #expect(try talk.next() == .finish(.alreadyRunning))
    }

    @Test("what a device has in its second slot is not sent again")
    func alreadyUploaded() throws {
        var talk = UpdateTalk(activation: .confirm)
        talk.linkUp()
        try talk.inspect([Self.running, Self.uploaded])
        try talk.answer(.setState(hash: UpdateTalk.imageHash, isForGood: true), [])
        #expect(talk.notes == [.alreadyUploaded, .verified])
        #expect(talk.update.counters.requestCount == 0)
    }

    @Test("an image that is marked already is only started")
    func alreadyMarked() throws {
        var talk = UpdateTalk()
        talk.linkUp()
        let pending = UpdateTalk.slot(1, UpdateTalk.imageHash, pending: true)
        try talk.inspect([Self.running, pending])
        guard case .request(.reset, _) = try talk.next() else {
            return #expect(Bool(false), "no reset")
        }
    }

    @Test("an image on trial, or about to be, is not overwritten unless it is forced")
    func trialsAreProtected() throws {
        let other = UpdateTalk.slot(0, UpdateTalk.otherHash, version: "1.5.0", active: true)
        let pending = UpdateTalk.slot(1, UpdateTalk.otherHash, version: "1.6.0", pending: true)
        let cases: [(list: [CBORValue], failure: SMPFailure)] = [
            ([other, Self.old], .onTrial(version: "1.5.0")),
            ([Self.running, pending], .pending(version: "1.6.0")),
        ]
        for (list, failure) in cases {
            var talk = UpdateTalk()
            talk.linkUp()
            #expect(throws: failure) { try talk.inspect(list) }
            var forced = UpdateTalk(isForced: true)
            forced.linkUp()
            try forced.inspect(list)
            try forced.takeUpload()
        }
    }

    @Test("a device without an upload, after all of the image was sent, is asked for its images")
    func lastReplyLost() throws {
        var talk = UpdateTalk(imageByteCount: 600)
        talk.linkUp()
        try talk.inspect([Self.running])
        try talk.answer(.slotInfo, [CBORPair("rc", .integer(8))])
        guard case .upload(let first, let sequence) = try talk.next() else { throw Missing() }
        try talk.reply(
            to: first.packet(
                sequence: sequence,
                data: [UInt8](repeating: 0, count: first.byteCount)
            ),
            [CBORPair("off", .integer(Int64(first.end)))]
        )
        // The reply to the last request is lost, and the request is sent again.
        guard case .upload = try talk.next() else { throw Missing() }
        try talk.pass(seconds: 2)
        guard case .upload(let again, let repeated) = try talk.next() else { throw Missing() }
        #expect(again.end == 600)
        try talk.reply(
            to: again.packet(
                sequence: repeated,
                data: [UInt8](repeating: 0, count: again.byteCount)
            ),
            [CBORPair("off", .integer(0))]
        )
        try talk.answer(.imageState, Self.images(Self.running, Self.uploaded))
        try talk.answer(.setState(hash: UpdateTalk.imageHash, isForGood: false), [])
        #expect(!talk.notes.contains(.restarted))
        #expect(!talk.notes.contains(.alreadyUploaded))
    }

    @Test("an upload that begins anew over a new link is said")
    func begunAnew() throws {
        var talk = UpdateTalk(imageByteCount: 5_000)
        for round in 0..<2 {
            talk.linkUp()
            try talk.inspect([Self.running])
            try talk.answer(.slotInfo, [CBORPair("rc", .integer(8))])
            for _ in 0..<(round == 0 ? 3 : 1) {
                guard case .upload(let chunk, let sequence) = try talk.next() else {
                    throw Missing()
                }
                try talk.reply(
                    to: chunk.packet(
                        sequence: sequence,
                        data: [UInt8](repeating: 0, count: chunk.byteCount)
                    ),
                    [CBORPair("off", .integer(Int64(chunk.end)))]
                )
            }
            if round == 0 { talk.linkDown() }
        }
        _ = try talk.next()
        #expect(talk.notes == [.restarted])
        let repeatCount = talk.update.counters.repeatCount
        #expect(repeatCount == 2)
    }

    @Test("a framing's bytes, and the parts of pieces, are left out of the device's buffers")
    func linkLimits() {
        let buffers = BufferLimits(packetByteCountMax: 2_475, requestCountMax: 3)
        func byteCount(_ link: LinkLimits) -> Int { link.limits(of: buffers).packetByteCountMax }
        #expect(byteCount(LinkLimits(unstated: buffers, isReliable: false)) == 2_475)
        let console = LinkLimits(unstated: buffers, framingByteCount: 4, isReliable: false)
        #expect(byteCount(console) == 2_471)
        let network = LinkLimits(unstated: buffers, packetByteCountMax: 1_472, isReliable: false)
        #expect(byteCount(network) == 1_472)
        let pieces = LinkLimits(unstated: buffers, pieceByteCount: 244, isReliable: true)
        #expect(byteCount(pieces) == 2_440)
    }

    @Test("an unconfirmed image is overwritten where there is no image to return to")
    func onlyImage() throws {
        var talk = UpdateTalk()
        talk.linkUp()
        try talk.inspect([UpdateTalk.slot(0, UpdateTalk.otherHash, active: true)])
        try talk.takeUpload()
    }

    @Test("an image that is too large is refused before the upload")
    func tooLarge() throws {
        var talk = UpdateTalk(imageByteCount: 5_000)
        talk.linkUp()
        try talk.inspect([Self.running])
        let sizes: [CBORPair] = [
            CBORPair(
                "images",
                .array([
                    .map([
                        CBORPair("image", .integer(0)), CBORPair("max_image_size", .integer(4_900)),
                        CBORPair(
                            "slots",
                            .array([
                                .map([
                                    CBORPair("slot", .integer(0)),
                                    CBORPair("size", .integer(5_100)),
                                ])
                            ])
                        ),
                    ])
                ])
            )
        ]
        #expect(throws: SMPFailure.tooLarge(slotByteCount: 4_900)) {
            try talk.answer(.slotInfo, sizes)
        }
    }

    @Test("a lost link resumes with the parameters, and the upload with its announcement")
    func lostLink() throws {
        var talk = UpdateTalk(imageByteCount: 5_000)
        talk.linkUp()
        try talk.inspect([Self.running])
        try talk.answer(.slotInfo, [CBORPair("rc", .integer(8))])
        guard case .upload(let first, _) = try talk.next() else { throw Missing() }
        #expect(first.offset == 0)
        talk.linkDown()
        #expect(try talk.next() == nil)
        talk.linkUp()
        try talk.inspect([Self.running])
        try talk.answer(.slotInfo, [CBORPair("rc", .integer(8))])
        guard case .upload(let again, let sequence) = try talk.next() else { throw Missing() }
        #expect(again.announcement == first.announcement)
        let data = [UInt8](repeating: 0, count: again.byteCount)
        try talk.reply(
            to: again.packet(sequence: sequence, data: data),
            [CBORPair("off", .integer(4_096))]
        )
        _ = try talk.next()
        #expect(talk.notes == [.resumed(byteCount: 4_096)])
        #expect(talk.update.deviceOffset == 4_096)
    }

    @Test("after the upload, a device without the image fails the update")
    func wrongImage() throws {
        var talk = UpdateTalk()
        talk.linkUp()
        try talk.inspect([Self.running])
        try talk.takeUpload()
        #expect(throws: SMPFailure.wrongImage) {
            try talk.answer(.imageState, Self.images(Self.running, Self.old))
        }
    }

    @Test("a device that runs another image after its restart has reverted")
    func reverted() throws {
        var talk = try Self.resetting(.test)
        talk.linkDown()
        talk.linkUp()
        #expect(throws: SMPFailure.reverted(version: "1.0.0")) {
            try talk.answer(.imageState, Self.images(Self.running, Self.old))
        }
    }

    @Test("a device that still has to swap its images after its restart has not swapped them")
    func notSwapped() throws {
        var talk = try Self.resetting(.test)
        talk.linkDown()
        talk.linkUp()
        let pending = UpdateTalk.slot(1, UpdateTalk.imageHash, pending: true)
        #expect(throws: SMPFailure.notSwapped) {
            try talk.answer(.imageState, Self.images(Self.running, pending))
        }
    }

    @Test("a device that does not come back in time fails the update")
    func notInTime() throws {
        var talk = try Self.resetting(.test)
        talk.linkDown()
        try talk.pass(seconds: 299)
        #expect(throws: SMPFailure.notInTime) { try talk.pass(seconds: 2) }
    }

    @Test(
        "an update that waits for the device's confirmation asks every second, and confirms nothing"
    )
    func awaitsConfirmation() throws {
        var talk = try Self.resetting(.test, awaitsConfirmation: true)
        talk.linkDown()
        talk.linkUp()
        for _ in 0..<3 {
            try talk.answer(.imageState, Self.images(Self.onTrial, Self.old))
            #expect(try talk.next() == nil)
            try talk.pass(seconds: 1)
        }
        try talk.answer(.imageState, Self.images(Self.kept, Self.old))
        #expect(try talk.next() == .finish(.confirmed))
        #expect(talk.notes.filter { $0 == .onTrial }.count == 1)
    }

    @Test("a request without an answer is sent again with its number, and silence ends the update")
    func silence() throws {
        var talk = UpdateTalk()
        talk.linkUp()
        let first = try talk.next()
        try talk.pass(seconds: 2)
        #expect(try talk.next() == first)
        #expect(throws: SMPFailure.silent) { try talk.pass(seconds: 8) }
    }

    @Test("errors in both styles name the request that was refused")
    func errors() throws {
        let old = [CBORPair("rc", .integer(8))]
        let new = [
            CBORPair(
                "err",
                .map([
                    CBORPair("group", .integer(1)), CBORPair("rc", .integer(10)),
                ])
            )
        ]
        for (pairs, error) in [
            (old, SMPError(group: nil, code: 8)), (new, SMPError(group: 1, code: 10)),
        ] {
            var talk = UpdateTalk()
            talk.linkUp()
            try talk.answer(.parameters, [])
            #expect(throws: SMPFailure.refused(error, .images)) {
                try talk.answer(.imageState, pairs)
            }
        }
    }

    @Test("the image number goes into the announcement, and another image's slots are left alone")
    func severalImages() throws {
        var talk = UpdateTalk(imageNumber: 1)
        talk.linkUp()
        func of(_ image: Int64, _ slot: CBORValue) -> CBORValue {
            guard case .map(let pairs) = slot else { return slot }
            return .map(pairs + [CBORPair("image", .integer(image))])
        }
        let pendingOfOther = UpdateTalk.slot(1, UpdateTalk.otherHash, pending: true)
        try talk.inspect([of(0, Self.running), of(0, pendingOfOther), of(1, Self.running)])
        try talk.answer(.slotInfo, [CBORPair("rc", .integer(8))])
        guard case .upload(let chunk, _) = try talk.next() else { throw Missing() }
        #expect(chunk.announcement?.imageNumber == 1)
    }

    @Test("a device without that image is named")
    func noSlot() throws {
        var talk = UpdateTalk(imageNumber: 3)
        talk.linkUp()
        #expect(throws: SMPFailure.noSlot(image: 3)) { try talk.inspect([Self.running]) }
    }

    // MARK: - Support

    static func images(_ slots: CBORValue...) -> [CBORPair] {
        [CBORPair("images", .array(slots))]
    }

    /// An update whose device has been asked to restart.
    private static func resetting(
        _ activation: UpdateOptions.Activation,
        awaitsConfirmation: Bool = false
    ) throws -> UpdateTalk {
        var talk = UpdateTalk(activation: activation, awaitsConfirmation: awaitsConfirmation)
        talk.linkUp()
        try talk.inspect([running, uploaded])
        try talk.answer(.setState(hash: UpdateTalk.imageHash, isForGood: false), [])
        guard case .request(.reset, _) = try talk.next() else { throw Missing() }
        return talk
    }
}
