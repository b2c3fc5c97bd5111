import BLEOTACore

/// A model of Nordic's Legacy DFU with receipts.
///
/// The receiver says after every 12 packets that it got how many bytes it has, and the sender waits
/// for it. A lost packet makes the receiver wait for the twelfth and the sender for the receipt:
/// neither has a timeout, so somebody has to start again from the beginning.
enum LegacyDFU {
    enum Frame {
        case start
        case started
        case data(Range<Int>)
        case receipt(byteCount: Int)
        /// The answer to the operation that began the data: all bytes have come.
        case received
        case validate
        case validated(isWhole: Bool)
    }

    private static let packetByteCount = 20
    private static let receiptPacketCount = 12
    /// An operation and its argument.
    private static let controlByteCount = 2
    /// A code, the operation that is answered, and a result.
    private static let responseByteCount = 3
    /// A code, and a count of bytes in four.
    private static let receiptByteCount = 5

    struct Sender: BaselineSender {
        private enum State {
            case starting
            case sending(byteCount: Int)
            case validating
            case pausing
            case finished
        }

        private let setup: BaselineSetup
        private var state = State.starting
        private(set) var deadline: Instant?
        private(set) var counts = BaselineCounts()

        init(_ setup: BaselineSetup) { self.setup = setup }

        var isFinished: Bool { if case .finished = state { true } else { false } }

        mutating func start(_ link: inout BaselineLink<Frame>) {
            link.request(.start, byteCount: controlByteCount)
            wait(in: .starting, link)
        }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch (state, frame) {
            case (.starting, .started): sendGroup(from: 0, &link)
            case (.sending(let sent), .receipt(let received)):
                guard received == sent else { return abort(link) }
                if sent < setup.imageByteCount { sendGroup(from: sent, &link) }
            case (.sending(setup.imageByteCount), .received):
                link.request(.validate, byteCount: controlByteCount)
                wait(in: .validating, link)
            case (.validating, .validated(let isWhole)):
                guard isWhole else { return abort(link) }
                state = .finished
            default: break
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            if case .pausing = state { return start(&link) }
            guard !link.isRequesting else { return wait(in: state, link) }
            // The wait in vain was the pause before the restart.
            counts.timeoutCount += 1
            counts.restartCount += 1
            start(&link)
        }

        private mutating func sendGroup(from start: Int, _ link: inout BaselineLink<Frame>) {
            var offset = start
            for _ in 0..<receiptPacketCount where offset < setup.imageByteCount {
                let range = setup.range(from: offset, byteCountMax: packetByteCount)
                link.sendData(.data(range), byteCount: range.count)
                offset = range.upperBound
            }
            wait(in: .sending(byteCount: offset), link)
        }

        private mutating func wait(in state: State, _ link: BaselineLink<Frame>) {
            self.state = state
            deadline = link.now + setup.restartPause
        }

        private mutating func abort(_ link: BaselineLink<Frame>) {
            counts.restartCount += 1
            wait(in: .pausing, link)
        }
    }

    struct Receiver: BaselineReceiver {
        private let setup: BaselineSetup
        private var packetCount = 0
        private(set) var image = ReceivedImage()

        init(_ setup: BaselineSetup) { self.setup = setup }

        var deadline: Instant? { nil }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch frame {
            case .start:
                image = ReceivedImage()
                packetCount = 0
                link.notify(.started, byteCount: responseByteCount)
            case .data(let range): store(range, &link)
            case .validate:
                let isWhole = image.isWhole(setup.imageByteCount)
                link.notify(.validated(isWhole: isWhole), byteCount: responseByteCount)
            case .started, .receipt, .received, .validated:
                preconditionFailure("a receiver's own frame")
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            preconditionFailure("no deadline was set")
        }

        private mutating func store(_ range: Range<Int>, _ link: inout BaselineLink<Frame>) {
            image.append(range)
            packetCount += 1
            if packetCount % receiptPacketCount == 0 {
                let receipt = Frame.receipt(byteCount: image.byteCount)
                link.notify(receipt, byteCount: receiptByteCount)
            }
            if image.byteCount == setup.imageByteCount {
                link.notify(.received, byteCount: responseByteCount)
            }
        }
    }
}
