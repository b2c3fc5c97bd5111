public import BLEOTACore

/// The receiver of a device: ``/BLEOTACore/Receiver`` with a store in flash. A main loop drives
/// it through function calls, without a heap, threads or interrupts.
///
/// ```swift
/// while true {
///     if let frame = link.nextFrame() { receiver.receive(data: frame) }
///     sleep(receiver.run())
/// }
/// ```
///
/// Cost: see Embedded/README.md.
public struct DeviceReceiver<Hooks: DeviceHooks>: ~Copyable {
    private var receiver: Receiver
    private var store: FlashStore<Hooks>
    /// A frame that the link has not accepted yet.
    private var unsent = InlineArray<79, UInt8>(repeating: 0)
    private var unsentByteCount = 0
    /// The reason the most recent session ended, or `nil` before any session has ended.
    public private(set) var lastEnding: Reason?

    /// Creates a receiver that listens.
    ///
    /// - Parameters:
    ///   - hooks: the services of the device.
    ///   - options: the settings of the receiver.
    ///   - memory: the memory for blocks and maps.
    /// - Throws: the fault that occurred when the record was read.
    public init(
        _ hooks: Hooks,
        options: ReceiverOptions,
        memory: DeviceMemory
    ) throws(FlashFault) {
        self.init(unread: hooks, options: options, memory: memory)
        try readRecord()
    }

    /// Creates a receiver that listens once the record has been read.
    ///
    /// This initializer does not throw, so the receiver is built in its final place. Otherwise
    /// the stack would need room for a whole receiver.
    package init(
        unread hooks: Hooks,
        options: ReceiverOptions,
        memory: DeviceMemory
    ) {
        receiver = Receiver(options: options, memory: memory.receiver)
        store = FlashStore(hooks, memory: memory)
    }

    private var hooks: Hooks { store.hooks }

    /// Reads the record, so that unreadable flash is reported at once. The record is read again
    /// when it is needed.
    package mutating func readRecord() throws(FlashFault) { try store.readRecord() }

    /// Advances the receiver to the current time. Every input begins with this call.
    @inline(never)
    private mutating func advance() { receiver.advance(to: hooks.now()) }

    // MARK: - Input

    /// Handles a control frame.
    public mutating func receive(control frame: RawSpan) {
        advance()
        receiver.receive(control: frame)
        noteEnding()
    }

    /// Handles a data frame.
    public mutating func receive(data frame: RawSpan) {
        advance()
        receiver.receive(data: frame)
    }

    /// Asks the peer for an image by its name. Returns false unless the receiver is idle.
    public mutating func request(_ nameTag: TransferTag, session: SessionNumber) -> Bool {
        guard receiver.phase == .idle else { return false }
        advance()
        receiver.request(nameTag, session: session)
        return true
    }

    /// Ends the session.
    public mutating func abort(_ reason: Reason) {
        advance()
        receiver.abort(reason)
        noteEnding()
    }

    /// Sets the answer to QUERY, which a signed receipt states too.
    public mutating func setRunning(_ running: ReceiverControl.Status) {
        receiver.setRunning(running)
    }

    //= PROOF-1: In any state, a receiver that has a device key MUST answer CHALLENGE with PROOF,
    //= with a checksum computed for the session in CHALLENGE, and change nothing.
    /// Writes the PROOF that answers a control frame, for a device that signs receipts. It is a
    /// function of its own, so that other devices need no code for it.
    ///
    /// - Parameters:
    ///   - frame: a control frame from the link, of any kind.
    ///   - receipts: the data that the device states.
    ///   - frameByteCountMax: the maximum length of a frame to the sender, 18 to 79.
    ///   - output: a buffer with room for that many bytes.
    ///   - sign: signs 48 bytes with the device's key, which is used only for receipts, and writes
    ///     64 bytes. Returns false if the device can't sign now, or has signed enough lately; the
    ///     sender then asks again after a second.
    /// - Returns: the length of the PROOF, or 0 if there is none to send.
    public func writeProof(
        answering frame: RawSpan,
        _ receipts: DeviceReceipts,
        frameByteCountMax: Int,
        into output: inout MutableRawSpan,
        sign: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool
    ) -> Int {
        guard let challenge = try? SenderControl.Challenge(decoding: frame) else { return 0 }
        return receipts.writeProof(
            challenge,
            of: receiver.running,
            counter: max(store.hooks.counterMin, store.record.counter),
            frameByteCountMax: frameByteCountMax,
            into: &output,
            sign: sign
        )
    }

    // MARK: - State

    /// The current state of the receiver.
    public var currentPhase: ReceiverPhase { receiver.phase }

    /// The number of durable bytes of the image.
    public var durableByteCount: UInt32 {
        store.plan.object == .image ? receiver.durableByteCount : 0
    }

    /// The length of the image in bytes, or 0 if there is none.
    public var imageByteCount: UInt32 { store.plan.object == .image ? store.plan.byteCount : 0 }

    // MARK: - Output

    /// Sends the frames that are due, and performs one step of the work on the flash.
    ///
    /// - Returns: the time until the next call if no frame arrives. It is zero if there is more
    ///   work now, and `nil` if the receiver only listens.
    public mutating func run() -> Microseconds? {
        advance()
        receiver.timeout()
        sendAll()
        let isWorking = store.step(&receiver)
        noteEnding()
        if isWorking { return .zero }
        // The next deadline can't be used, because it may belong to a frame that also waits for
        // the link.
        if unsentByteCount > 0 { return linkPause }
        return receiver.timeLeft
    }

    /// The time to wait while the link is full.
    private var linkPause: Microseconds { .milliseconds(10) }

    private mutating func sendAll() {
        while true {
            if unsentByteCount == 0 {
                unsentByteCount = writeNextFrame()
                if unsentByteCount == 0 { return }
            }
            let isSent = unsent.span.withUnsafeBytes { bytes in
                hooks.send(UnsafeRawBufferPointer(rebasing: bytes[..<unsentByteCount]))
            }
            guard isSent else { return }
            unsentByteCount = 0
        }
    }

    /// Writes the receiver's next frame to ``unsent``. Not inlined, because a loop would keep
    /// precomputed values, which take space.
    ///
    /// - Returns: the length of the frame in bytes, or 0 if there is none before the next
    ///   input.
    @inline(never)
    private mutating func writeNextFrame() -> Int {
        advance()
        var bytes = unsent.mutableSpan
        var output = bytes.mutableBytes
        return receiver.writeNextFrame(into: &output)?.byteCount ?? 0
    }

    private mutating func noteEnding() {
        guard let reason = receiver.takeEnding() else { return }
        lastEnding = reason
        hooks.log(.ended(reason))
    }
}
