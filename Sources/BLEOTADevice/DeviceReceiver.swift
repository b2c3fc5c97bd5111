public import BLEOTACore

/// The receiver of a device: ``BLEOTACore/Receiver`` with a store in flash, driven by calls from a
/// main loop, without heap, threads or interrupts.
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
    /// A frame that the link did not take yet.
    private var unsent = InlineArray<79, UInt8>(repeating: 0)
    private var unsentByteCount = 0
    /// How the last session ended; `nil` before the first.
    public private(set) var lastEnding: Reason?

    /// A receiver that listens.
    ///
    /// - Throws: what reading the record threw.
    public init(
        _ hooks: Hooks,
        options: ReceiverOptions,
        memory: DeviceMemory
    ) throws(FlashFault) {
        self.init(unread: hooks, options: options, memory: memory)
        try readRecord()
    }

    /// A receiver that listens as soon as the record was read.
    ///
    /// It does not throw, so that it is built where it stays: else it takes its size in stack.
    package init(
        unread hooks: Hooks,
        options: ReceiverOptions,
        memory: DeviceMemory
    ) {
        receiver = Receiver(options: options, memory: memory.receiver)
        store = FlashStore(hooks, memory: memory)
    }

    private var hooks: Hooks { store.hooks }

    /// Reads the record, which is read again when it counts: a flash that can't be read should be
    /// known at once.
    package mutating func readRecord() throws(FlashFault) { try store.readRecord() }

    /// Moves the receiver on to now, with which every input begins.
    @inline(never)
    private mutating func advance() { receiver.advance(to: hooks.now()) }

    // MARK: - In

    /// Takes a control frame.
    public mutating func receive(control frame: RawSpan) {
        advance()
        receiver.receive(control: frame)
        noteEnding()
    }

    /// Takes a data frame.
    public mutating func receive(data frame: RawSpan) {
        advance()
        receiver.receive(data: frame)
    }

    /// Asks the peer for an object; false unless idle.
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

    /// Sets what QUERY is answered with.
    public mutating func setRunning(_ running: ReceiverControl.Status) {
        receiver.setRunning(running)
    }

    // MARK: - State

    /// What it is at.
    public var currentPhase: ReceiverPhase { receiver.phase }

    /// How much of the image is durable.
    public var durableByteCount: UInt32 {
        store.plan.object == .image ? receiver.durableByteCount : 0
    }

    /// How long the image is; 0 where there is none.
    public var imageByteCount: UInt32 { store.plan.object == .image ? store.plan.byteCount : 0 }

    // MARK: - Out

    /// Does what is due: sends, and takes one step of what the flash has to do.
    ///
    /// - Returns: how long it has nothing to do if no frame comes; zero if there is more now, `nil`
    ///   if it only listens.
    public mutating func run() -> Microseconds? {
        advance()
        receiver.timeout()
        sendAll()
        let isWorking = store.step(&receiver)
        noteEnding()
        if isWorking { return .zero }
        // What is due by now may be a frame that waits for the link as well.
        if unsentByteCount > 0 { return linkPause }
        return receiver.timeLeft
    }

    /// How long to let a link be that is full.
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

    /// Not inlined, because what a loop computes once takes room.
    ///
    /// - Returns: 0 if there is nothing to say before the next input.
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
