import BLEOTACore

@testable import BLEOTASMP

/// A device that takes uploads as Zephyr's does, and that can be told to misbehave. It has no
/// clock: a test delivers requests and replies when it wants to.
struct ModelDevice {
    struct Faults {
        /// Of a hundred requests, how many are dropped.
        var dropPercent = 0
        /// Of a hundred replies, how many are lost.
        var lostReplyPercent = 0
        /// Of a hundred requests, how many are answered with "busy".
        var busyPercent = 0
        /// Of a thousand requests, how many make the device lose the upload.
        var restartPermille = 0
        /// As many requests in a row as may get no reply. A sender repeats its first request eight
        /// times before it gives up, so with fewer it must never give up.
        var silentCountMax = 5
    }

    private(set) var image: [UInt8] = []
    private(set) var sha256: [UInt8]?
    private(set) var byteCount: Int?
    var faults = Faults()
    private var random: UInt64
    /// The number of requests since the last reply.
    private var silentCount = 0

    init(seed: UInt64 = 1) { random = seed }

    private mutating func below(_ bound: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((random >> 33) % UInt64(bound))
    }

    /// Loses what a restart loses.
    mutating func restart() { (image, sha256, byteCount) = ([], nil, nil) }

    /// The reply to an upload request; `nil` if the request or the reply is lost.
    mutating func reply(to packet: [UInt8]) throws -> [UInt8]? {
        let mayBeSilent = silentCount < faults.silentCountMax
        silentCount += 1
        if mayBeSilent, below(100) < faults.dropPercent { return nil }
        let reply = try answer(to: packet)
        if mayBeSilent, below(100) < faults.lostReplyPercent { return nil }
        silentCount = 0
        return reply
    }

    private mutating func answer(to packet: [UInt8]) throws -> [UInt8] {
        let header = try SMPHeader(packet).unwrapped
        if below(100) < faults.busyPercent {
            return Self.reply(header, [CBORPair("rc", .integer(10))])
        }
        if below(1_000) < faults.restartPermille { restart() }
        let content = try CBORReader.read(packet[SMPHeader.byteCount...])
        let offset = Int(try content["off"].unwrapped.integer.unwrapped)
        let data = try content["data"].unwrapped.bytes.unwrapped
        if offset == 0 {
            let announced = try content["sha"].unwrapped.bytes.unwrapped
            if sha256 != announced || byteCount == nil {
                image = data
                sha256 = announced
                byteCount = Int(try content["len"].unwrapped.integer.unwrapped)
            }
        } else if byteCount != nil, offset == image.count {
            image += data
        }
        return Self.reply(header, [CBORPair("off", .integer(Int64(image.count)))])
    }

    static func reply(_ request: SMPHeader, _ pairs: [CBORPair]) -> [UInt8] {
        var writer = CBORWriter()
        writer.write(.map(pairs))
        return SMPHeader(
            request.operation.reply ?? .writeReply,
            group: request.group,
            command: request.command,
            sequence: request.sequence,
            contentByteCount: writer.bytes.count
        ).bytes + writer.bytes
    }
}

/// Something that a test needs is missing.
struct Missing: Error {}

extension Optional {
    var unwrapped: Wrapped {
        get throws(Missing) {
            guard let self else { throw Missing() }
            return self
        }
    }
}
