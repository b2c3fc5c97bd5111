extension SenderState {
    /// Echo probes of several sizes are in flight, because chunks have had no effect although the
    /// peer answers.
    struct SizeDiscovery {
        /// The frame lengths to probe: the two smallest, the lengths that fill common ATT_MTUs
        /// (65, 185, 247) and two link-layer packets, and one length in between. With these, the
        /// sender finds a length of at least a third of the longest length that the link carries.
        private static let byteCounts: InlineArray<7, Int> = [16, 20, 60, 100, 180, 244, 492]
        /// Three rounds, with pauses of 0.5 s that double, take 3.5 s. Probes may wait in a
        /// queue for that long, and the session does not end as silent meanwhile.
        private static var roundCountMax: Int { 3 }

        private var round = 1
        private var cursor = 0
        /// Whether a probe was answered before this round began, in which case the other probes
        /// have had enough time.
        private var isSettled = false
        private var pause: Microseconds
        private(set) var deadline: Instant

        init(context: borrowing SenderContext) {
            pause = max(context.probeTimeout, .milliseconds(500))
            deadline = context.now + pause
        }

        //= ECHO-2: A sender MUST send echo probes if no chunk of the full chunk size has arrived
        //= over this link, and its data frames have had no effect for 3 probe timeouts in a row
        //= although the receiver has answered. The lengths of the probes are the sender's present
        //= frame length, and each of 16, 20, 60, 100, 180, 244 and 492 bytes that the link is said
        //= to carry. After the probes, the sender MUST open again, with a new session number and a
        //= chunk size that fits in a frame as long as the longest answered probe.
        mutating func nextByteCount(_ context: borrowing SenderContext) -> Int? {
            let present = context.chunkSize.frameByteCount
            while cursor < Self.byteCounts.count {
                let byteCount = Self.byteCounts[cursor]
                cursor += 1
                if byteCount <= context.frameByteCountMax, byteCount != present {
                    return byteCount
                }
            }
            guard cursor == Self.byteCounts.count else { return nil }
            cursor += 1
            return present
        }

        /// Returns whether the last round is over. If another round is needed, starts it.
        mutating func isOver(context: borrowing SenderContext) -> Bool {
            guard context.now >= deadline else { return false }
            if round == Self.roundCountMax || isSettled { return true }
            isSettled = context.largestEchoByteCount != nil
            if !isSettled { pause = pause * 2 }
            round += 1
            cursor = 0
            deadline = context.now + pause
            return false
        }

        //= ECHO-3: If no echo probe is answered, a sender MUST open again and keep its chunk size.
        /// Returns the chunk size for the largest answered probe, at most the current size. If
        /// no probe was answered, the size stays the same, because silence says nothing about
        /// sizes: either no data passes at all, or the probes wait in a long queue. Their late
        /// answers count in the next discovery.
        static func conclusion(_ context: borrowing SenderContext) -> ChunkSize {
            guard let largest = context.largestEchoByteCount,
                largest < context.chunkSize.frameByteCount
            else { return context.chunkSize }
            return ChunkSize(fittingFrameOf: largest)
        }
    }
}
