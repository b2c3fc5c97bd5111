import BLEOTA
import BLEOTACore
import Testing

@testable import BLEOTASMP

/// A conversation of an update with a device, as a test tells it.
struct UpdateTalk: ~Copyable {
    static let imageHash: [UInt8] = Array(repeating: 0xAB, count: 32)
    static let otherHash: [UInt8] = Array(repeating: 0xCD, count: 32)

    var update: SMPUpdate
    private(set) var now = Instant(microseconds: 0)
    private(set) var notes: [SMPUpdate.Note] = []

    init(
        imageByteCount: Int = 300,
        imageNumber: Int = 0,
        activation: UpdateOptions.Activation = .testThenConfirm,
        isForced: Bool = false,
        awaitsConfirmation: Bool = false
    ) {
        update = SMPUpdate(
            SMPUpdate.Plan(
                UploadChunk.Announcement(
                    imageByteCount: imageByteCount,
                    sha256: Array(repeating: 7, count: 32),
                    imageNumber: imageNumber
                ),
                imageHash: Self.imageHash,
                activation: activation,
                isForced: isForced,
                awaitsConfirmation: awaitsConfirmation,
                silenceLimit: .seconds(10),
                progressLimit: .seconds(60),
                restartLimit: .seconds(300)
            )
        )
    }

    mutating func linkUp() {
        let buffers = BufferLimits(packetByteCountMax: 384, requestCountMax: 1)
        update.linkUp(LinkLimits(unstated: buffers, isReliable: true), at: now)
    }

    mutating func linkDown() { update.linkDown(at: now) }

    mutating func pass(seconds: Int) throws(SMPFailure) {
        now = now + .seconds(seconds)
        try update.expire(at: now)
    }

    /// The next action that is no note.
    mutating func next() throws(SMPFailure) -> SMPUpdate.Action? {
        while let action = try update.next(at: now) {
            guard case .note(let note) = action else { return action }
            notes.append(note)
        }
        return nil
    }

    /// Expects a request, and answers it.
    mutating func answer(
        _ expected: SMPRequest,
        _ pairs: [CBORPair],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        guard case .request(let request, let sequence) = try next() else {
            Issue.record("no request, but \(expected) was expected", sourceLocation: location)
            throw Missing()
        }
        #expect(request == expected, sourceLocation: location)
        try reply(to: request.packet(sequence: sequence), pairs)
    }

    mutating func reply(to packet: [UInt8], _ pairs: [CBORPair]) throws {
        let header = try SMPHeader(packet).unwrapped
        now = now + .milliseconds(10)
        try update.received(ModelDevice.reply(header, pairs), at: now)
    }

    /// Answers the parameters and an image list.
    mutating func inspect(_ slots: [CBORValue]) throws {
        try answer(.parameters, [CBORPair("rc", .integer(8))])
        try answer(.imageState, [CBORPair("images", .array(slots))])
    }

    /// Answers the question for sizes, and all of the upload.
    mutating func takeUpload(_ location: SourceLocation = #_sourceLocation) throws {
        try answer(.slotInfo, [CBORPair("rc", .integer(8))], location)
        while case .upload(let chunk, let sequence) = try next() {
            let data = [UInt8](repeating: 0, count: chunk.byteCount)
            try reply(
                to: chunk.packet(sequence: sequence, data: data),
                [CBORPair("off", .integer(Int64(chunk.end)))]
            )
            if chunk.end == chunkTotal { break }
        }
    }

    private var chunkTotal: Int { update.totalByteCount }

    /// An entry of an image list.
    static func slot(
        _ number: Int,
        _ hash: [UInt8],
        version: String = "1.0.0",
        active: Bool = false,
        confirmed: Bool = false,
        pending: Bool = false,
        permanent: Bool = false
    ) -> CBORValue {
        .map([
            CBORPair("slot", .integer(Int64(number))), CBORPair("version", .text(version)),
            CBORPair("hash", .bytes(hash)), CBORPair("bootable", .boolean(true)),
            CBORPair("active", .boolean(active)), CBORPair("confirmed", .boolean(confirmed)),
            CBORPair("pending", .boolean(pending)), CBORPair("permanent", .boolean(permanent)),
        ])
    }
}
