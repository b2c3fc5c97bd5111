import BLEOTACore

/// The states of the transfer of one image. All but `unlinked` and `finished` have a link.
enum SecureState: ~Copyable {
    /// There is no link.
    case unlinked
    /// A request to the device was sent, or is to be sent.
    case asking(Asking)
    /// Packets of an object are being sent.
    case streaming(Streaming)
    /// The device has executed the last object.
    case finished(isReported: Bool)

    /// A request, and the purpose of its answer.
    enum Question: Hashable {
        /// Send receipts at the interval that the window needs. Another step follows.
        case receipts(before: Next)
        case select(SecureObject.Kind)
        case create(SecureObject)
        /// Report how much of an object has arrived. Its packets up to `sentOffset` have been sent.
        case checksum(SecureObject, sentOffset: Int, Receipts)
        /// - Parameter isLeftOver: whether the device had the object already when the link came up.
        ///   It may have executed the object.
        case execute(SecureObject, isLeftOver: Bool)
    }

    /// The step that follows once the device has accepted the interval of receipts.
    enum Next: Hashable {
        case select(SecureObject.Kind)
        case create(SecureObject)
        /// The rest of an object that the device has up to this offset.
        case stream(SecureObject, from: Int)
    }

    struct Asking: ~Copyable {
        let question: Question
        /// Whether the request is still to be sent.
        var isDue = true
        let askedAt: Instant

        consuming func replaced(by next: consuming SecureState) -> SecureState { next }
    }

    struct Streaming: ~Copyable {
        let object: SecureObject
        /// The offset of the next packet.
        private(set) var sentOffset: Int
        /// The offset up to which the device has reported a matching checksum.
        private(set) var deviceOffset: Int
        private(set) var receipts: Receipts
        private(set) var lastSentAt: Instant

        init(_ object: SecureObject, _ receipts: Receipts, at now: Instant) {
            self.object = object
            self.receipts = receipts
            sentOffset = receipts.start
            deviceOffset = receipts.start
            lastSentAt = now
        }

        var isAllSent: Bool { sentOffset == object.range.upperBound }

        /// The offset that the next receipt reports; `nil` if no receipt is due.
        var nextReceiptOffset: Int? {
            receipts.nextOffset(sentOffset: sentOffset, end: object.range.upperBound)
        }

        /// The number of packets that are not known to have arrived.
        var inFlightCount: Int {
            let size = receipts.packetByteCount
            return (sentOffset - deviceOffset + size - 1) / size
        }

        mutating func takePacket(at now: Instant) -> Range<Int> {
            let end = min(sentOffset + receipts.packetByteCount, object.range.upperBound)
            defer { sentOffset = end }
            lastSentAt = now
            return sentOffset..<end
        }

        consuming func advanced(to offset: Int, isReceipt: Bool) -> SecureState {
            deviceOffset = max(deviceOffset, offset)
            if isReceipt { receipts.noteSeen() }
            return .streaming(self)
        }

        /// Asks how many of the bytes that were sent have arrived.
        consuming func checking(at now: Instant) -> SecureState {
            .asking(
                Asking(
                    question: .checksum(object, sentOffset: sentOffset, receipts),
                    askedAt: now
                )
            )
        }

        consuming func replaced(by next: consuming SecureState) -> SecureState { next }
    }

    static func asking(_ question: Question, at now: Instant) -> SecureState {
        .asking(Asking(question: question, askedAt: now))
    }

    /// Sends an object from an offset, at which the device begins to count packets.
    static func streaming(
        _ object: SecureObject,
        from offset: Int,
        _ context: SecureContext,
        at now: Instant
    ) -> SecureState {
        let receipts = Receipts(
            from: offset,
            interval: context.receiptInterval,
            packetByteCount: context.packetByteCount
        )
        return .streaming(Streaming(object, receipts, at: now))
    }
}
