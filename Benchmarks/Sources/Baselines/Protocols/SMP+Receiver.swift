import BLEOTACore

extension SMP {
    /// It takes the bytes at the offset that it wants, and answers every request with that offset.
    struct Receiver: BaselineReceiver {
        /// After a lost fragment the lengths it reads are wrong; it begins anew when nothing has
        /// come for this long.
        private static let quietTime = Microseconds.seconds(1)

        private var sequence = 0
        /// The next fragment of the request that it puts together.
        private var fragmentIndex = 0
        private var isDesynchronized = false
        private(set) var deadline: Instant?
        private(set) var image = ReceivedImage()

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            guard case .fragment(let fragment) = frame else {
                preconditionFailure("a receiver's own frame")
            }
            deadline = link.now + Self.quietTime
            let isNext =
                fragment.index == fragmentIndex
                && (fragment.index == 0 || fragment.sequence == sequence)
            guard isNext, !isDesynchronized else {
                isDesynchronized = true
                return
            }
            sequence = fragment.sequence
            fragmentIndex += 1
            guard fragmentIndex == fragment.count else { return }
            resynchronize()
            take(fragment, &link)
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) { resynchronize() }

        private mutating func resynchronize() {
            fragmentIndex = 0
            isDesynchronized = false
            deadline = nil
        }

        private mutating func take(_ request: Fragment, _ link: inout BaselineLink<Frame>) {
            // Offset 0 begins an upload.
            if request.range.lowerBound == 0 { image = ReceivedImage() }
            if request.range.lowerBound == image.byteCount { image.append(request.range) }
            let response = Frame.response(sequence: request.sequence, offset: image.byteCount)
            link.notify(response, byteCount: responseByteCount)
        }
    }
}
