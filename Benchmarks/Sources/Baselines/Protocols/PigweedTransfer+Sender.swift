import BLEOTACore

extension PigweedTransfer {
    /// It sends what the receiver lets it send. Its own timeout repeats what began the transfer,
    /// or, when the receiver is silent, the last chunk.
    struct Sender: BaselineSender {
        private enum State {
            case starting
            case confirming
            case sending
            case finished
        }

        private let setup: BaselineSetup
        private var state = State.starting
        private var offset = 0
        private var windowEnd = 0
        private var lastChunk = 0..<0
        private(set) var deadline: Instant?
        private(set) var counts = BaselineCounts()

        init(_ setup: BaselineSetup) { self.setup = setup }

        var isFinished: Bool { if case .finished = state { true } else { false } }

        mutating func start(_ link: inout BaselineLink<Frame>) { sendControl(.start, &link) }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch (state, frame) {
            case (.starting, .startAcknowledgement):
                state = .confirming
                sendControl(.startConfirmation, &link)
            case (.confirming, .goBack(let offset, let windowEnd)),
                (.sending, .goBack(let offset, let windowEnd)):
                state = .sending
                self.offset = offset
                self.windowEnd = windowEnd
                sendWindow(&link)
            case (.sending, .goOn(let windowEnd)):
                self.windowEnd = max(self.windowEnd, windowEnd)
                sendWindow(&link)
            case (.sending, .completion): state = .finished
            default: break
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            counts.timeoutCount += 1
            switch state {
            case .starting: sendControl(.start, &link)
            case .confirming: sendControl(.startConfirmation, &link)
            case .sending: sendChunk(lastChunk, &link)
            case .finished: preconditionFailure("no deadline in this state")
            }
        }

        private mutating func sendWindow(_ link: inout BaselineLink<Frame>) {
            while offset < min(windowEnd, setup.imageByteCount) {
                let range = setup.range(from: offset, byteCountMax: chunkByteCount(setup))
                sendChunk(range, &link)
                offset = range.upperBound
            }
            wait(link)
        }

        private mutating func sendChunk(_ range: Range<Int>, _ link: inout BaselineLink<Frame>) {
            lastChunk = range
            link.sendData(.data(range), byteCount: overheadByteCount + range.count)
            wait(link)
        }

        private mutating func sendControl(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            link.command(frame, byteCount: controlByteCount)
            wait(link)
        }

        private mutating func wait(_ link: BaselineLink<Frame>) {
            deadline = link.now + .milliseconds(timeoutMilliseconds)
        }
    }
}
