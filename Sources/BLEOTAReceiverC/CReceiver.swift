import BLEOTADevice
import CBLEOTAReceiver

/// The header in the memory of a C receiver. It records whether the receiver was started and
/// whether one of its functions is running. The receiver and the memory for blocks follow.
struct CReceiver {
    /// A value that is improbable in memory where no receiver was started.
    private static var startedMark: UInt32 { 0xB1E0_7A01 }

    private var mark: UInt32
    private var isAtWork = false

    /// The length of the longest frame of any kind. Longer datagrams are not frames.
    static var frameByteCountMax: Int { 512 }

    /// The offset of the receiver: 8 bytes from the beginning of the memory, which is aligned
    /// to 8.
    private static var receiverOffset: Int { MemoryLayout<Self>.stride }
    private static var blocksOffset: Int {
        receiverOffset + MemoryLayout<DeviceReceiver<CHooks>>.stride
    }

    /// Returns the number of bytes that a receiver needs, including the memory for the plan.
    static func byteCount(_ plan: DeviceMemory.Plan) -> Int { blocksOffset &+ plan.byteCount }

    /// Starts a receiver. The caller has checked the memory and the setup.
    static func start(
        in memory: UnsafeMutableRawPointer,
        _ byteCount: Int,
        _ plan: DeviceMemory.Plan,
        _ setup: UnsafePointer<bleota_setup>
    ) throws(FlashFault) {
        let header = memory.bindMemory(to: Self.self, capacity: 1)
        // A receiver started here before is no longer valid, because its memory is about to be
        // divided again.
        header.initialize(to: CReceiver(mark: 0))
        let rest = UnsafeMutableRawBufferPointer(
            start: memory + blocksOffset,
            count: byteCount &- blocksOffset
        )
        let receiver = (memory + receiverOffset)
            .bindMemory(to: DeviceReceiver<CHooks>.self, capacity: 1)
        // The receiver is initialized in its final place. As a member of a structure, it would
        // first be assembled on the stack.
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

    /// Calls `body` with the receiver if it was started and none of its functions is running.
    static func use(
        _ pointer: UnsafeMutablePointer<bleota_receiver>?,
        _ body: (inout DeviceReceiver<CHooks>) -> bleota_error
    ) -> bleota_error {
        var error = begin(pointer)
        guard error == BLEOTA_OK else { return error }
        let start = UnsafeMutableRawPointer(pointer.unsafelyUnwrapped)
        // SAFETY: the mark is present if and only if a receiver was initialized here.
        let receiver = (start + receiverOffset)
            .assumingMemoryBound(to: DeviceReceiver<CHooks>.self)
        error = body(&receiver.pointee)
        start.assumingMemoryBound(to: Self.self).pointee.isAtWork = false
        return error
    }

    /// Records that a function of the receiver is running, or returns the error that prevents it.
    ///
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
