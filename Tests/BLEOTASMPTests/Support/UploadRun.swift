import BLEOTACore

@testable import BLEOTASMP

/// An upload in virtual time over a link of a constant delay.
struct UploadRun: ~Copyable {
    private static let delay = Microseconds.milliseconds(20)

    let image: [UInt8]
    var device: ModelDevice
    var uploader: Uploader
    private(set) var now = Instant(microseconds: 0)
    private(set) var heldMax = 0
    private(set) var events: [Uploader.Event] = []
    private var sequence: UInt8 = 0
    private var pending: [(at: Instant, reply: [UInt8])] = []

    init(
        imageByteCount: Int,
        limits: BufferLimits,
        isReliable: Bool = true,
        device: ModelDevice = ModelDevice()
    ) {
        image = (0..<imageByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        self.device = device
        uploader = Uploader(
            UploadChunk.Announcement(
                imageByteCount: imageByteCount,
                sha256: Array(repeating: 7, count: 32)
            ),
            limits: limits,
            silenceLimit: .seconds(120),
            progressLimit: .seconds(600),
            isReliable: isReliable,
            at: now
        )
    }

    var isComplete: Bool { uploader.deviceOffset == image.count && uploader.deadline == nil }

    /// Runs until the device has the image, at most for an hour of virtual time.
    mutating func run() throws {
        while !isComplete, now < Instant(microseconds: 3_600_000_000) { try step() }
    }

    /// Sends what is due, then goes to the next moment.
    mutating func step() throws {
        while let chunk = try uploader.nextChunk(sequence: sequence, at: now) {
            let data = Array(image[chunk.offset..<chunk.end])
            if let reply = try device.reply(to: chunk.packet(sequence: sequence, data: data)) {
                pending.append((now + Self.delay, reply))
            }
            sequence &+= 1
            heldMax = max(heldMax, uploader.inFlightCount)
        }
        let next = pending.map(\.at).min()
        guard let deadline = uploader.deadline else { return }
        now = max(now, min(next ?? deadline, deadline))
        let due = pending.filter { $0.at <= now }
        pending.removeAll { $0.at <= now }
        for (_, packet) in due { try take(packet) }
        try uploader.expire(at: now)
    }

    private mutating func take(_ packet: [UInt8]) throws {
        let reply = try SMPReply(packet).unwrapped
        if reply.error != nil { return uploader.postponed(reply.header.sequence, at: now) }
        let offset = Int(try reply.content["off"].unwrapped.integer.unwrapped)
        events.append(
            try uploader.replied(to: reply.header.sequence, offset: offset, at: now)
        )
    }
}
