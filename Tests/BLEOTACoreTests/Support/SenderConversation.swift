import BLEOTACore

@testable import BLEOTACore

/// A sender, its memory and its clock; the test plays the receiver.
final class SenderConversation {
    var sender: Sender
    private let ring: UnsafeMutableBufferPointer<SentChunk>
    private(set) var now: Instant

    init(
        window: WindowPolicy = .fixed(chunkCount: 8),
        isOrdered: Bool = true,
        image: UInt32 = 24_000,
        manifest: UInt32 = 500,
        frameByteCountMax: Int = 244,
        ringCount: Int = 1_024
    ) {
        let now = Instant.milliseconds(0)
        self.now = now
        ring = .allocate(capacity: ringCount)
        ring.initialize(repeating: SentChunk())
        var options = SenderOptions()
        options.window = window
        options.isLinkOrdered = isOrdered
        sender = Sender(
            transfer: CoreSample.transfer(manifest: manifest, image: image),
            session: CoreSample.session,
            frameByteCountMax: frameByteCountMax,
            options: options,
            memory: ring,
            at: now
        )
    }

    deinit { ring.deallocate() }

    /// The same after OPEN and the first account of epoch 1, with nothing sent yet.
    static func streaming(
        _ acknowledgement: Acknowledgement = CoreSample.acknowledgement(0),
        window: WindowPolicy = .fixed(chunkCount: 8),
        isOrdered: Bool = true,
        image: UInt32 = 24_000,
        frameByteCountMax: Int = 244,
        ringCount: Int = 1_024
    ) -> SenderConversation {
        let talk = SenderConversation(
            window: window,
            isOrdered: isOrdered,
            image: image,
            frameByteCountMax: frameByteCountMax,
            ringCount: ringCount
        )
        _ = talk.drain()
        talk.hear(acknowledgement)
        return talk
    }

    var milliseconds: Int { Int(now.microseconds / 1_000) }

    func hear(_ acknowledgement: Acknowledgement) {
        sender.receive(.acknowledgement(acknowledgement), at: now)
    }

    func hear(_ frame: ReceiverControl) { sender.receive(frame, at: now) }

    func hearBusy(_ phase: BusyPhase = .verifying) {
        hear(.busy(.init(phase: phase, object: .image, epoch: Epoch(1), millisecondsLeft: 0)))
    }

    func hearResult(_ reason: Reason, detail: UInt64 = 0) {
        hear(.result(.init(reason: reason, detail: detail)))
    }

    func hearEcho(_ byteCount: Int) {
        hear(.echoReply(.init(token: UInt16(byteCount), byteCount: UInt16(byteCount))))
    }

    func drain() -> [SenderTransmission] {
        var all: [SenderTransmission] = []
        while let next = sender.nextTransmission(at: now) { all.append(next) }
        return all
    }

    func drainedControl() -> [SenderControl] {
        drain().compactMap { if case .control(let frame) = $0 { frame } else { nil } }
    }

    func drainedChunks() -> [SenderTransmission.Chunk] {
        drain().compactMap { if case .data(let chunk) = $0 { chunk } else { nil } }
    }

    func drainedEchoes() -> [Int] {
        drain().compactMap { if case .echo(_, let byteCount) = $0 { byteCount } else { nil } }
    }

    func pass(_ milliseconds: Int) { pass(to: now + .milliseconds(milliseconds)) }

    func pass(to moment: Instant) {
        now = max(now, moment)
        sender.handleTimeout(at: now)
    }

    /// Lets time pass to the next deadline and does what is due; returns how long that was.
    @discardableResult
    func passDeadline() -> Int {
        guard let deadline = sender.nextDeadline else { return 0 }
        let before = now
        now = max(now, deadline)
        sender.handleTimeout(at: now)
        return Int((now - before).rawValue / 1_000)
    }
}
