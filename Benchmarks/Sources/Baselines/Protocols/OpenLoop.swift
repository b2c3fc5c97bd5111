import BLEOTACore

/// A model of what sends an image without any acknowledgement, and asks at the end whether it is
/// whole: the raw stream, and the rule of the field.
enum OpenLoop {
    enum Frame {
        case begin
        case data(Range<Int>)
        case verify
        case verdict(isWhole: Bool)
    }

    /// Short frames, and a time between bursts of them.
    struct Pace {
        let frameByteCount: Int
        let burstFrameCount: Int
        /// From the first frame of a burst to that of the next: a host takes the frames of one at
        /// once, so the pause is all the time there is.
        let interval: Microseconds

        /// 12 packets of 20 bytes, then 100 ms.
        static var fieldRule: Pace {
            Pace(frameByteCount: 20, burstFrameCount: 12, interval: .milliseconds(100))
        }
    }

    /// An operation's code; of `verdict`, the answer to it.
    private static let controlByteCount = 1

    struct Sender: BaselineSender {
        private enum State {
            case ready
            case sending(offset: Int)
            case verifying
            case pausing
            case finished
        }

        private let setup: BaselineSetup
        private let pace: Pace?
        private var state = State.ready
        private(set) var deadline: Instant?
        private(set) var counts = BaselineCounts()

        init(_ setup: BaselineSetup, _ pace: Pace?) {
            self.setup = setup
            self.pace = pace
        }

        var isFinished: Bool { if case .finished = state { true } else { false } }

        mutating func start(_ link: inout BaselineLink<Frame>) {
            link.request(.begin, byteCount: controlByteCount)
            sendBurst(from: 0, &link)
        }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            guard case .verifying = state, case .verdict(let isWhole) = frame else { return }
            guard !isWhole else {
                state = .finished
                return
            }
            counts.restartCount += 1
            state = .pausing
            deadline = link.now + setup.restartPause
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            switch state {
            case .sending(let offset): sendBurst(from: offset, &link)
            case .pausing: start(&link)
            case .verifying where link.isRequesting:
                // The question waits behind the data.
                deadline = link.now + setup.restartPause
            case .verifying:
                counts.timeoutCount += 1
                verify(&link)
            case .ready, .finished: preconditionFailure("no deadline in this state")
            }
        }

        private mutating func sendBurst(from start: Int, _ link: inout BaselineLink<Frame>) {
            let frameByteCount = pace?.frameByteCount ?? setup.valueByteCountMax
            var (offset, frameCount) = (start, 0)
            while offset < setup.imageByteCount, frameCount < pace?.burstFrameCount ?? .max {
                let range = setup.range(from: offset, byteCountMax: frameByteCount)
                link.sendData(.data(range), byteCount: range.count)
                offset = range.upperBound
                frameCount += 1
            }
            guard offset < setup.imageByteCount, let pace else { return verify(&link) }
            state = .sending(offset: offset)
            deadline = link.now + pace.interval
        }

        private mutating func verify(_ link: inout BaselineLink<Frame>) {
            link.request(.verify, byteCount: controlByteCount)
            state = .verifying
            deadline = link.now + setup.restartPause
        }
    }

    struct Receiver: BaselineReceiver {
        private let setup: BaselineSetup
        private(set) var image = ReceivedImage()

        init(_ setup: BaselineSetup) { self.setup = setup }

        var deadline: Instant? { nil }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch frame {
            case .begin: image = ReceivedImage()
            case .data(let range): image.append(range)
            case .verify:
                let isWhole = image.isWhole(setup.imageByteCount)
                link.notify(.verdict(isWhole: isWhole), byteCount: controlByteCount)
            case .verdict: preconditionFailure("a receiver's own frame")
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            preconditionFailure("no deadline was set")
        }
    }
}
