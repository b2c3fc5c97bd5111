import BLEOTACore

extension SMP {
    /// It keeps a number of requests on their way. A response that asks for an offset twice shows
    /// that a request is lost; then, and after a time without any response, it goes back to that
    /// offset. It repeats for as long as it takes.
    struct Sender: BaselineSender {
        private let setup: BaselineSetup
        private let windowRequestCount: Int
        private let requestByteCount: Int
        private let timeout: Microseconds
        /// What the receiver has, as far as it said so.
        private var acknowledged = 0
        private var offset = 0
        private var sequenceNext = 0
        /// The first request since it went back last.
        private var sequenceOfRound = 0
        /// The one after the last that was answered: those before it are answered or lost, since
        /// nothing overtakes anything.
        private var sequenceUnanswered = 0
        private(set) var deadline: Instant?
        private(set) var counts = BaselineCounts()

        init(_ setup: BaselineSetup, windowRequestCount: Int) {
            self.setup = setup
            self.windowRequestCount = windowRequestCount
            requestByteCount =
                setup.valueByteCountMax >= wholeByteCountMin
                ? setup.valueByteCountMax : fragmentedByteCount
            timeout = windowRequestCount > 3 ? .seconds(5) : .milliseconds(2_500)
        }

        var isFinished: Bool { acknowledged == setup.imageByteCount }

        mutating func start(_ link: inout BaselineLink<Frame>) { fillWindow(&link) }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            guard case .response(let sequence, let wanted) = frame else {
                preconditionFailure("a sender's own frame")
            }
            sequenceUnanswered = max(sequenceUnanswered, sequence + 1)
            if wanted > acknowledged {
                acknowledged = wanted
                offset = max(offset, wanted)
            } else if sequence >= sequenceOfRound {
                goBack()
            }
            fillWindow(&link)
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            counts.timeoutCount += 1
            sequenceUnanswered = sequenceNext
            goBack()
            fillWindow(&link)
        }

        private mutating func goBack() {
            offset = acknowledged
            sequenceOfRound = sequenceNext
        }

        private mutating func fillWindow(_ link: inout BaselineLink<Frame>) {
            while offset < setup.imageByteCount,
                sequenceNext - sequenceUnanswered < windowRequestCount
            {
                let range = setup.range(
                    from: offset,
                    byteCountMax: requestByteCount - overheadByteCount
                )
                send(range, &link)
                offset = range.upperBound
            }
            deadline = link.now + timeout
        }

        private mutating func send(_ range: Range<Int>, _ link: inout BaselineLink<Frame>) {
            let byteCount = overheadByteCount + range.count
            let valueByteCounts = stride(from: 0, to: byteCount, by: setup.valueByteCountMax)
                .map { min(setup.valueByteCountMax, byteCount - $0) }
            for (index, valueByteCount) in valueByteCounts.enumerated() {
                let fragment = Fragment(
                    sequence: sequenceNext,
                    range: range,
                    index: index,
                    count: valueByteCounts.count
                )
                link.sendData(.fragment(fragment), byteCount: valueByteCount)
            }
            sequenceNext += 1
        }
    }
}
