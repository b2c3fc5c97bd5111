import BLEOTACore
import BLEOTAHost
import Testing

@testable import BLEOTACore

/// A receiver, its memory, its clock and the objects that are sent to it; the test plays the sender
/// and the store.
final class ReceiverConversation {
    var receiver: Receiver
    let bench: ReceiverBench
    let manifest = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    let image: [UInt8]
    let chunkSize: ChunkSize
    private(set) var now = Instant.milliseconds(0)
    /// Of the last ACK, which a sender would have adopted.
    private(set) var epoch = Epoch(0)
    private(set) var object = ObjectID.manifest

    init(
        image byteCount: Int = 5 * 4_096,
        chunkSize: ChunkSize = CoreSample.chunkSize,
        bench: ReceiverBench = ReceiverBench(),
        options: ReceiverOptions = ReceiverOptions()
    ) {
        image = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        self.chunkSize = chunkSize
        self.bench = bench
        receiver = Receiver(options: options, memory: bench.memory)
    }

    /// The same with the image being received, its first account heard.
    static func receiving(
        image byteCount: Int = 5 * 4_096,
        chunkSize: ChunkSize = CoreSample.chunkSize,
        blockByteCount: Int = 4_096,
        held: [Int] = [],
        bench: ReceiverBench = ReceiverBench(),
        options: ReceiverOptions = ReceiverOptions()
    ) -> ReceiverConversation {
        let talk = ReceiverConversation(
            image: byteCount,
            chunkSize: chunkSize,
            bench: bench,
            options: options
        )
        talk.open()
        _ = talk.tasks()
        talk.plan(.image, blockByteCount: blockByteCount, held: held)
        _ = talk.drain()
        return talk
    }

    func open(_ session: SessionNumber = CoreSample.session) {
        receiver.receive(
            .open(
                .init(
                    session: session,
                    chunkSize: chunkSize,
                    manifestByteCount: 500,
                    tag: CoreSample.tag
                )
            ),
            at: now
        )
    }

    func poll(_ session: SessionNumber = CoreSample.session) {
        receiver.receive(.poll(.init(session: session, object: object, epoch: epoch)), at: now)
    }

    func close(_ reason: Reason = .verified, _ session: SessionNumber = CoreSample.session) {
        receiver.receive(.close(.init(session: session, reason: reason)), at: now)
    }

    func plan(_ object: ObjectID, blockByteCount: Int = 4_096, held: [Int] = []) {
        let byteCount = object == .image ? image.count : manifest.count
        handle(
            .planned(
                bench.plan(object, byteCount: byteCount, blockByteCount: blockByteCount, held: held)
            )
        )
    }

    func handle(_ answer: StorageAnswer) { receiver.handle(answer, for: receiver.ticket, at: now) }

    func header(
        session: SessionNumber = CoreSample.session,
        object: ObjectID? = nil,
        epoch: Epoch? = nil
    ) -> PseudoHeader {
        PseudoHeader(session: session, object: object ?? self.object, epoch: epoch ?? self.epoch)
    }

    func chunk(_ index: UInt32, isPoll: Bool = false) {
        let bytes = object == .image ? image : manifest
        receive(
            CoreSample.data(
                index,
                of: bytes,
                chunkSize: chunkSize,
                isPoll: isPoll,
                header: header()
            )
        )
    }

    func chunks(_ range: Range<UInt32>) { for index in range { chunk(index) } }

    func receive(_ datagram: [UInt8]) { receiver.receive(data: datagram.span.bytes, at: now) }

    func tasks() -> [StorageTask] {
        var all: [StorageTask] = []
        while let next = receiver.nextTask() { all.append(next) }
        return all
    }

    /// Stores every block that is ready.
    func storeAll() {
        for case .write(_, let block) in tasks() { handle(.stored(block: block)) }
    }

    func drain() -> [ReceiverTransmission] {
        var all: [ReceiverTransmission] = []
        while true {
            let isAnnounced = receiver.hasTransmission(at: now)
            guard let next = receiver.nextTransmission(at: now) else { break }
            #expect(isAnnounced, "\(next) came unannounced")
            if case .acknowledgement(let acknowledgement) = next.frame {
                epoch = acknowledgement.epoch
                object = acknowledgement.object
            }
            all.append(next)
        }
        return all
    }

    func drainedAcknowledgements() -> [Acknowledgement] {
        drain().compactMap {
            if case .acknowledgement(let acknowledgement) = $0.frame {
                acknowledgement
            } else {
                nil
            }
        }
    }

    func drainedBusy() -> [ReceiverControl.Busy] {
        drain().compactMap { if case .busy(let busy) = $0.frame { busy } else { nil } }
    }

    func drainedResults() -> [ReceiverControl.Result] {
        drain().compactMap { if case .result(let result) = $0.frame { result } else { nil } }
    }

    func pass(_ milliseconds: Int) {
        now = now + .milliseconds(milliseconds)
        receiver.handleTimeout(at: now)
    }

    /// A conversation in each state a session has, by name.
    static func inEveryState() -> [ReceiverConversation] {
        let lookingUp = ReceiverConversation()
        lookingUp.open()
        let judging = ReceiverConversation()
        judging.open()
        judging.plan(.manifest)
        _ = judging.drain()
        judging.chunks(0..<3)
        judging.storeAll()
        let verifying = ReceiverConversation.receiving(image: 4_096)
        verifying.chunks(0..<18)
        verifying.storeAll()
        let all = [lookingUp, ReceiverConversation.receiving(), judging, verifying]
        for talk in all {
            _ = talk.tasks()
            _ = talk.drain()
        }
        return all
    }
}

extension Acknowledgement {
    /// The bits that are set.
    var shown: [Int] { (0..<ReceivedBitmap.bitCount).filter { bitmap[$0] } }
}
