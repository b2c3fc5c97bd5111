import BLEOTACore
import BLEOTASimulation

@testable import BLEOTASMP
@testable import Baselines

/// What both ends of an upload over the modelled radio say to each other: a value of GATT.
enum RadioValue {
    /// A part of a request. Only the last part has the request, whose bytes are not modelled.
    case part(byteCount: Int, request: RadioRequest?)
    case reply(sequence: UInt8, offset: Int)
}

struct RadioRequest {
    let sequence: UInt8
    let chunk: UploadChunk
}

/// The uploader of bleota over the modelled radio.
struct RadioUploadSender: BaselineSender {
    private final class Box {
        var uploader: Uploader
        init(_ uploader: consuming Uploader) { self.uploader = uploader }
    }

    private let box: Box
    private let pieceByteCountMax: Int
    private var sequence: UInt8 = 0
    private(set) var isFinished = false
    let counts = BaselineCounts()

    init(_ setup: BaselineSetup, _ limits: BufferLimits) {
        pieceByteCountMax = setup.valueByteCountMax
        box = Box(
            Uploader(
                UploadChunk.Announcement(
                    imageByteCount: setup.imageByteCount,
                    sha256: Array(repeating: 7, count: 32)
                ),
                limits: limits,
                silenceLimit: .seconds(10),
                progressLimit: .seconds(60),
                at: Instant(microseconds: 0)
            )
        )
    }

    var deadline: Instant? { box.uploader.deadline }
    var repeatCount: Int { box.uploader.repeatCount }

    mutating func start(_ link: inout BaselineLink<RadioValue>) { send(&link) }

    mutating func receive(_ frame: RadioValue, _ link: inout BaselineLink<RadioValue>) {
        guard case .reply(let sequence, let offset) = frame else { return }
        let event = try? box.uploader.replied(to: sequence, offset: offset, at: link.now)
        if event == .completed { isFinished = true }
        send(&link)
    }

    mutating func handleTimeout(_ link: inout BaselineLink<RadioValue>) {
        try? box.uploader.expire(at: link.now)
        send(&link)
    }

    private mutating func send(_ link: inout BaselineLink<RadioValue>) {
        while let chunk = try? box.uploader.nextChunk(sequence: sequence, at: link.now) {
            let data = [UInt8](repeating: 0, count: chunk.byteCount)
            var left = chunk.packet(sequence: sequence, data: data).count
            while left > 0 {
                let byteCount = min(left, pieceByteCountMax)
                left -= byteCount
                let request = left == 0 ? RadioRequest(sequence: sequence, chunk: chunk) : nil
                link.sendData(
                    .part(byteCount: byteCount, request: request),
                    byteCount: byteCount
                )
            }
            sequence &+= 1
        }
    }
}

/// A device over the modelled radio, with buffers for whole requests. It has no room while it
/// handles as many as it has buffers for.
struct RadioUploadReceiver: BaselineReceiver {
    /// About what a device takes to write a request of 2 KiB to its flash.
    private let handlingTime: Microseconds
    private let bufferCount: Int
    private var waiting: [RadioRequest] = []
    private(set) var deadline: Instant?
    private(set) var image = ReceivedImage()
    private(set) var dropCount = 0

    init(bufferCount: Int, handlingTime: Microseconds) {
        self.bufferCount = bufferCount
        self.handlingTime = handlingTime
    }

    mutating func receive(_ frame: RadioValue, _ link: inout BaselineLink<RadioValue>) {
        guard case .part(_, let request?) = frame else { return }
        guard waiting.count < bufferCount else {
            dropCount += 1
            return
        }
        waiting.append(request)
        if deadline == nil { deadline = link.now + handlingTime }
    }

    mutating func handleTimeout(_ link: inout BaselineLink<RadioValue>) {
        let request = waiting.removeFirst()
        let range = request.chunk.offset..<request.chunk.end
        if range.lowerBound == image.byteCount { image.append(range) }
        link.notify(.reply(sequence: request.sequence, offset: image.byteCount), byteCount: 20)
        deadline = waiting.isEmpty ? nil : link.now + handlingTime
    }
}
