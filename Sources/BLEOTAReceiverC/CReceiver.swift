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

    /// Starts a receiver in memory that has been looked at, for a setup that has been.
    static func start(
        in memory: UnsafeMutableRawPointer,
        _ byteCount: Int,
        _ plan: DeviceMemory.Plan,
        _ setup: UnsafePointer<bleota_setup>
    ) throws(FlashFault) {
        let header = memory.bindMemory(to: Self.self, capacity: 1)
        // What was started here before works in memory that is about to be cut anew.
        header.initialize(to: CReceiver(mark: 0))
        let rest = UnsafeMutableRawBufferPointer(
            start: memory + blocksOffset,
            count: byteCount &- blocksOffset
        )
        let receiver = (memory + receiverOffset)
            .bindMemory(to: DeviceReceiver<CHooks>.self, capacity: 1)
        // At its place, and not as a part of a structure, which would be put together in the stack
        // first.
        receiver.initialize(
            to: DeviceReceiver(
                unread: CHooks(setup: setup),
                options: setup.pointee.options,
                memory: DeviceMemory(rest, by: plan)
            )
        )
        try receiver.pointee.readRecord()
        header.pointee.mark = startedMark
    }

    /// Lets a caller work with a receiver that was started and is not at work.
    static func use(
        _ pointer: UnsafeMutablePointer<bleota_receiver>?,
        _ body: (inout DeviceReceiver<CHooks>) -> bleota_error
    ) -> bleota_error {
        var error = begin(pointer)
        guard error == BLEOTA_OK else { return error }
        let start = UnsafeMutableRawPointer(pointer.unsafelyUnwrapped)
        // SAFETY: the mark is there if and only if a receiver was put here.
        let receiver = (start + receiverOffset)
            .assumingMemoryBound(to: DeviceReceiver<CHooks>.self)
        error = body(&receiver.pointee)
        start.assumingMemoryBound(to: Self.self).pointee.isAtWork = false
        return error
    }

    /// Not inlined, because each function of a receiver begins with it.
    @inline(never)
    private static func begin(_ pointer: UnsafeMutablePointer<bleota_receiver>?) -> bleota_error {
        guard let pointer else { return BLEOTA_NULL_ARGUMENT }
        let header = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Self.self)
        guard header.pointee.mark == startedMark else { return BLEOTA_NOT_STARTED }
        guard !header.pointee.isAtWork else { return BLEOTA_CALLED_FROM_HOOK }
        header.pointee.isAtWork = true
        return BLEOTA_OK
    }
}
