import BLEOTADevice
import BLEOTASimulation
import Testing

/// A sender and a device in virtual time, with a link between them.
final class World {
    /// How a device is made, at first and when the power is back.
    typealias Maker = (Board) throws -> any TestDevice

    let board: Board
    let faults: TestLink.Faults
    private let makeDevice: Maker
    private(set) var device: (any TestDevice)?
    private(set) var sender: TestSender?
    private var toDevice: TestLink
    private var toSender: TestLink
    private var wait: Microseconds?
    private var sessionNext: UInt16 = 0x1000
    /// How much of the image the device called durable: at the most, and in the first account of
    /// each session.
    private(set) var durableByteCountTold: UInt32 = 0
    private(set) var resumedByteCounts: [UInt32] = []
    private var sessionTold: SessionNumber?
    /// Every frame that the device sent.
    private(set) var frames: [[UInt8]] = []
    /// How many bytes of the image reached a device that was receiving it, without those that the
    /// sender repeated within an epoch.
    private(set) var deliveredImageByteCount = 0
    var frameByteCountMax = 244
    /// Called after each call of the device's run.
    var onRun: (() -> Void)?

    var clock: TestClock { board.clock }
    var flash: NORFlash { board.flash }

    init(
        _ board: Board,
        faults: TestLink.Faults = .none,
        seed: UInt64 = 1,
        makeDevice: @escaping Maker = { try SwiftDevice($0) }
    ) throws {
        self.board = board
        self.faults = faults
        self.makeDevice = makeDevice
        toDevice = TestLink(faults, seed: seed)
        toSender = TestLink(faults, seed: ~seed)
        board.onFrame = { [unowned self] frame in
            frames.append(frame)
            note(frame)
            toSender.send(TestSender.Datagram(bytes: frame), at: clock.now)
        }
        device = try makeDevice(board)
    }

    private func note(_ frame: [UInt8]) {
        guard let session = sender?.machine.session,
            case .acknowledgement(let acknowledgement)? = try? ReceiverControl(
                decoding: frame.span.bytes,
                session: session
            ), acknowledgement.object == .image
        else { return }
        if sessionTold != session { resumedByteCounts.append(acknowledgement.durableByteCount) }
        sessionTold = session
        durableByteCountTold = max(durableByteCountTold, acknowledgement.durableByteCount)
    }

    /// The device has its power again and begins anew; whatever was on its way is lost.
    func restart() throws {
        device = nil
        toDevice.clear()
        toSender.clear()
        flash.restorePower()
        clock.pass(.milliseconds(700))
        wait = nil
        device = try makeDevice(board)
    }

    /// A new sender begins.
    func send(_ image: TestImage) {
        sessionNext &+= 0x0101
        sender = TestSender(
            image,
            session: sessionNext,
            frameByteCountMax: frameByteCountMax,
            isLinkOrdered: faults.late == 0,
            at: clock.now
        )
    }

    func stopSending() {
        sender = nil
        toDevice.clear()
        toSender.clear()
    }

    /// Puts a frame on the link to the device that no sender made.
    func inject(_ frame: SenderControl) {
        toDevice.send(TestSender.Datagram(bytes: FrameBytes.of(frame)), at: clock.now)
    }

    /// Sends an image to the end of its session, and until the device knows of it.
    @discardableResult
    func transfer(_ image: TestImage) -> SenderOutcome? {
        send(image)
        run { $0.sender?.machine.outcome != nil }
        let outcome = sender?.machine.outcome
        let latest = clock.now + .milliseconds(200)
        run { $0.clock.now >= latest }
        return outcome
    }

    /// Lets time pass until a condition holds, the power fails, or nothing happens any more.
    func run(stepCountMax: Int = 300_000, until isOver: (World) -> Bool) {
        for _ in 0..<stepCountMax {
            if isOver(self) || !flash.isPowered || !step() { return }
        }
        Issue.record("no end after \(stepCountMax) steps")
    }

    /// Does what is due, then goes to the next moment at which something is; false if there is
    /// none.
    func step() -> Bool {
        deliver()
        sender?.machine.handleTimeout(at: clock.now)
        while let datagram = sender?.next(at: clock.now) {
            toDevice.send(datagram, at: clock.now)
        }
        wait = device?.run()
        onRun?()
        guard flash.isPowered, wait != .zero else { return true }
        let moments = [
            toDevice.nextArrival, toSender.nextArrival, sender?.machine.nextDeadline,
            wait.map { clock.now + $0 },
        ]
        guard let next = moments.compactMap({ $0 }).min() else { return false }
        clock.now = max(clock.now, next)
        return true
    }

    private func deliver() {
        while let datagram = toDevice.next(at: clock.now) {
            if device?.isReceivingImage == true {
                deliveredImageByteCount += datagram.newImageByteCount
            }
            if datagram.isData {
                device?.receive(data: datagram.bytes)
            } else {
                device?.receive(control: datagram.bytes)
            }
        }
        while let datagram = toSender.next(at: clock.now) {
            sender?.machine.receive(datagram.bytes.span.bytes, at: clock.now)
        }
    }
}
