import BLEOTADevice
import CBLEOTAReceiver

/// What lies at the beginning of the memory of a receiver of C: whether it was started, and whether
/// it is at work. The receiver follows, and the memory for blocks.
struct CReceiver {
    /// Improbable in memory that was never started.
    private static var startedMark: UInt32 { 0xB1E0_7A01 }

    private var mark: UInt32
    private var isAtWork = false

    /// The longest frame of each kind; what is longer is none.
    static var frameByteCountMax: Int { 512 }

    /// Where the receiver is: 8 bytes from the beginning, which is at a multiple of 8.
    private static var receiverOffset: Int { MemoryLayout<Self>.stride }
    private static var blocksOffset: Int {
        receiverOffset + MemoryLayout<DeviceReceiver<CHooks>>.stride
    }

    /// How much memory a receiver needs with what it is cut into.
    static func byteCount(_ plan: DeviceMemory.Plan) -> Int { blocksOffset &+ plan.byteCount }

    /// Starts a receiver in memory that has been looked at.
    static func start(
        in memory: UnsafeMutableRawBufferPointer,
        _ plan: DeviceMemory.Plan,
        _ setup: UnsafePointer<bleota_setup>
    ) throws(FlashFault) -> UnsafeMutablePointer<bleota_receiver> {
        let start = memory.baseAddress.unsafelyUnwrapped
        let header = start.bindMemory(to: Self.self, capacity: 1)
        // What was started here before works in memory that is about to be cut anew.
        header.initialize(to: CReceiver(mark: 0))
        build(in: memory, plan, setup)
        // SAFETY: it was put there right now.
        try (start + receiverOffset).assumingMemoryBound(to: DeviceReceiver<CHooks>.self)
            .pointee.readRecord()
        header.pointee.mark = startedMark
        return start.assumingMemoryBound(to: bleota_receiver.self)
    }

    /// Builds the receiver at its place, and not as a part of a structure, which would be put
    /// together in the stack first. Not inlined, so that this and what reads the record do not take
    /// their stack at once.
    @inline(never)
    private static func build(
        in memory: UnsafeMutableRawBufferPointer,
        _ plan: DeviceMemory.Plan,
        _ setup: UnsafePointer<bleota_setup>
    ) {
        var options = ReceiverOptions()
        options.controlByteCountMax = setup.pointee.controlByteCountMax
        options.firstEpoch = Epoch(setup.pointee.first_epoch)
        let start = memory.baseAddress.unsafelyUnwrapped
        // Less than nothing is less than the plan needs, too.
        let rest = UnsafeMutableRawBufferPointer(
            start: start + blocksOffset,
            count: memory.count &- blocksOffset
        )
        (start + receiverOffset).bindMemory(to: DeviceReceiver<CHooks>.self, capacity: 1)
            .initialize(
                to: DeviceReceiver(
                    unread: CHooks(setup: setup),
                    options: options,
                    memory: DeviceMemory(rest, by: plan)
                )
            )
    }

    /// Lets a caller work with a receiver that was started and is not at work.
    static func use(
        _ pointer: UnsafeMutablePointer<bleota_receiver>?,
        _ body: (inout DeviceReceiver<CHooks>) -> bleota_error
    ) -> bleota_error {
        guard let pointer else { return BLEOTA_NULL_ARGUMENT }
        let start = UnsafeMutableRawPointer(pointer)
        let header = start.assumingMemoryBound(to: Self.self)
        var error = header.pointee.beginWork()
        guard error == BLEOTA_OK else { return error }
        // SAFETY: the mark is there if and only if a receiver was put here.
        let receiver = (start + receiverOffset)
            .assumingMemoryBound(to: DeviceReceiver<CHooks>.self)
        error = body(&receiver.pointee)
        header.pointee.isAtWork = false
        return error
    }

    /// Not inlined, because each function of a receiver begins with it.
    @inline(never)
    private mutating func beginWork() -> bleota_error {
        guard mark == Self.startedMark else { return BLEOTA_NOT_STARTED }
        guard !isAtWork else { return BLEOTA_CALLED_FROM_HOOK }
        isAtWork = true
        return BLEOTA_OK
    }
}
