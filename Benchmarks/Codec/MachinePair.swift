import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// A sender and a receiver that transfer the sample's image over a link without delay or loss, each
/// frame encoded and decoded. The store is done at once and keeps nothing.
struct MachinePair {
    private static let manifestByteCount: UInt32 = 66
    private static let digestPrefix: UInt64 = 1

    private let sample: Sample
    private let device: Device
    private let ring = UnsafeMutableBufferPointer<SentChunk>.allocate(capacity: 1_024)
    private let control = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)

    init(sample: Sample, device: Device) {
        self.sample = sample
        self.device = device
        ring.initialize(repeating: SentChunk())
    }

    /// Transfers the image once. The moments are made up, a millisecond for each turn of the
    /// sender: neither machine ever has to wait.
    func transfer() {
        var now = Instant(microseconds: 0)
        var sender = Sender(
            transfer: TransferDescription(
                tag: TransferTag(rawValue: 1),
                manifestByteCount: Self.manifestByteCount,
                imageByteCount: sample.packetizer.objectByteCount,
                digestPrefix: Self.digestPrefix
            ),
            session: Sample.session,
            frameByteCountMax: sample.frameByteCount,
            options: SenderOptions(),
            memory: ring,
            at: now
        )
        var receiver = Receiver(options: ReceiverOptions(), memory: device.memory)
        while sender.outcome == nil {
            while let transmission = sender.nextTransmission(at: now) {
                deliver(transmission, to: &receiver, at: now)
                while let task = receiver.nextTask() { perform(task, for: &receiver, at: now) }
            }
            while let transmission = receiver.nextTransmission(at: now) {
                var output = control.mutableBytes
                let byteCount = transmission.encode(into: &output)
                let error = sender.receive(datagram(byteCount).bytes, at: now)
                precondition(error == nil)
            }
            now = now + .milliseconds(1)
            sender.handleTimeout(at: now)
            receiver.handleTimeout(at: now)
        }
        precondition(sender.outcome == .verified)
        precondition(sender.statistics.dataFramesSent == UInt64(sample.chunkCount))
    }

    private func deliver(
        _ transmission: SenderTransmission,
        to receiver: inout Receiver,
        at now: Instant
    ) {
        switch transmission {
        case .control(let frame):
            var output = control.mutableBytes
            let byteCount = frame.encode(into: &output)
            let error = receiver.receive(control: datagram(byteCount).bytes, at: now)
            precondition(error == nil)
        case .data(let chunk):
            let frame = sample.makeFrame(
                chunk.index,
                of: UnsafeRawBufferPointer(rebasing: sample.image[chunk.byteRange]),
                header: chunk.header,
                isPoll: chunk.isPoll
            )
            receiver.receive(data: frame.bytes, at: now)
        case .echo:
            preconditionFailure("nothing is lost, so nothing has to be probed")
        }
    }

    private func perform(_ task: StorageTask, for receiver: inout Receiver, at now: Instant) {
        switch task {
        case .lookUp:
            let plan = device.plan(imageByteCount: sample.packetizer.objectByteCount)
            receiver.handle(.planned(plan), for: receiver.ticket, at: now)
        case .write(_, let block):
            receiver.handle(.stored(block: block), for: receiver.ticket, at: now)
            let end = (block + 1) * Device.blockByteCount
            receiver.handle(
                .durable(byteCount: UInt32(min(end, sample.image.count))),
                for: receiver.ticket,
                at: now
            )
        case .publish:
            receiver.handle(
                .published(digestPrefix: Self.digestPrefix),
                for: receiver.ticket,
                at: now
            )
        case .release:
            break
        case .judge:
            preconditionFailure("the manifest is held")
        }
    }

    private func datagram(_ byteCount: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: control[..<byteCount])
    }
}
