import BLEOTACore
import BLEOTASimulation

/// Both ends of a modelled protocol over a modelled radio, in virtual time.
struct BaselinePair<Sender: BaselineSender, Receiver: BaselineReceiver>
where Sender.Frame == Receiver.Frame {
    private(set) var sender: Sender
    private(set) var receiver: Receiver
    private var link: BaselineLink<Sender.Frame>

    init(_ sender: Sender, _ receiver: Receiver, _ radio: RadioSettings, seed: UInt64) {
        self.sender = sender
        self.receiver = receiver
        link = BaselineLink(radio, seed: seed)
    }

    var now: Instant { link.now }

    var dataFrameCount: Int { link.dataFrameCount }

    /// Runs until the sender is finished.
    ///
    /// - Parameter isLost: takes a frame that arrives away, besides what the radio loses.
    /// - Returns: whether it was by then, and before the link was lost.
    mutating func run(
        until end: Instant,
        isLost: (Sender.Frame) -> Bool = { _ in false }
    ) -> Bool {
        sender.start(&link)
        while !sender.isFinished {
            let carries = link.nextMoment
            let wakes = Self.earlier(sender.deadline, receiver.deadline)
            guard let next = Self.earlier(carries, wakes) else {
                preconditionFailure("both ends wait for ever")
            }
            guard next <= end else { return false }
            link.wait(until: next)
            if let carries, carries <= now {
                switch link.advance() {
                case .receiverGot(let frame):
                    if !isLost(frame) { receiver.receive(frame, &link) }
                case .senderGot(let frame):
                    if !isLost(frame) { sender.receive(frame, &link) }
                // None of the models has a way to go on.
                case .lost: return false
                case nil: break
                }
            } else if let deadline = sender.deadline, deadline <= now {
                sender.handleTimeout(&link)
            } else {
                receiver.handleTimeout(&link)
            }
        }
        return true
    }

    private static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
