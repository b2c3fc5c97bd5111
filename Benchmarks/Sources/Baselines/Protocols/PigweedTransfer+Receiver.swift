import BLEOTACore

extension PigweedTransfer {
    /// It lets the sender send a window, doubles that with each extension until the first loss,
    /// then adds a chunk with each; a loss halves it. It extends when half is used up.
    ///
    /// After a gap it takes nothing but the chunk that it asked for; if that is lost too, its
    /// timeout asks again.
    struct Receiver: BaselineReceiver {
        private let setup: BaselineSetup
        private var windowChunkCount = 1
        private var windowEnd = 0
        private var isSlowStart = true
        private var isRecovering = false
        private(set) var deadline: Instant?
        private(set) var image = ReceivedImage()

        init(_ setup: BaselineSetup) { self.setup = setup }

        private var isComplete: Bool { image.byteCount == setup.imageByteCount }

        private var windowByteCount: Int { windowChunkCount * chunkByteCount(setup) }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch frame {
            case .start: link.notify(.startAcknowledgement, byteCount: controlByteCount)
            case .startConfirmation:
                askAgain(&link)
            case .data(let range): receive(range, &link)
            case .startAcknowledgement, .goOn, .goBack, .completion:
                preconditionFailure("a receiver's own frame")
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) { loseSome(&link) }

        private mutating func receive(_ range: Range<Int>, _ link: inout BaselineLink<Frame>) {
            guard !isComplete else {
                // The sender repeats its last chunk until it knows.
                return link.notify(.completion, byteCount: controlByteCount)
            }
            if range.lowerBound == image.byteCount {
                take(range, &link)
            } else if range.lowerBound < image.byteCount {
                link.notify(.goOn(windowEnd: windowEnd), byteCount: controlByteCount)
            } else if !isRecovering {
                loseSome(&link)
            }
        }

        private mutating func take(_ range: Range<Int>, _ link: inout BaselineLink<Frame>) {
            image.append(range)
            isRecovering = false
            guard !isComplete else {
                deadline = nil
                return link.notify(.completion, byteCount: controlByteCount)
            }
            wait(link)
            guard 2 * (windowEnd - image.byteCount) <= windowByteCount else { return }
            let grown = isSlowStart ? 2 * windowChunkCount : windowChunkCount + 1
            windowChunkCount = min(grown, windowChunkCountMax)
            windowEnd = image.byteCount + windowByteCount
            link.notify(.goOn(windowEnd: windowEnd), byteCount: controlByteCount)
        }

        private mutating func loseSome(_ link: inout BaselineLink<Frame>) {
            windowChunkCount = max(1, windowChunkCount / 2)
            isSlowStart = false
            isRecovering = true
            askAgain(&link)
        }

        private mutating func askAgain(_ link: inout BaselineLink<Frame>) {
            windowEnd = image.byteCount + windowByteCount
            let frame = Frame.goBack(offset: image.byteCount, windowEnd: windowEnd)
            link.notify(frame, byteCount: controlByteCount)
            wait(link)
        }

        private mutating func wait(_ link: BaselineLink<Frame>) {
            deadline = link.now + .milliseconds(timeoutMilliseconds)
        }
    }
}
