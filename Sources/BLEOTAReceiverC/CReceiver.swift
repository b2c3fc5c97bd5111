import BLEOTADevice
import CBLEOTAReceiver

/// What lies in the memory of a receiver of C: whether it was started, whether it is at work, and
/// the receiver. The memory for blocks follows.
struct CReceiver: ~Copyable {
    /// Improbable in memory that was never started.
    private static var startedMark: UInt32 { 0xB1E0_7A01 }

    private var mark: UInt32
    private var isAtWork = false
    var receiver: DeviceReceiver<CHooks>

    /// The longest frame of each kind; what is longer is none.
    static var frameByteCountMax: Int { 512 }

    /// How much memory a receiver needs with what it is cut into.
    static func byteCount(_ plan: DeviceMemory.Plan) -> Int {
        MemoryLayout<CReceiver>.stride + plan.byteCount
    }

    /// Starts a receiver in memory that has been looked at.
    static func start(
        in memory: UnsafeMutableRawBufferPointer,
        _ plan: DeviceMemory.Plan,
        _ setup: UnsafePointer<bleota_setup>,
        layout: FlashLayout
    ) throws(FlashFault) -> UnsafeMutablePointer<bleota_receiver> {
        let start = memory.baseAddress.unsafelyUnwrapped
        // What was started here before works in memory that is about to be cut anew.
        start.assumingMemoryBound(to: Self.self).pointee.mark = 0
        var options = ReceiverOptions()
        options.controlByteCountMax = setup.pointee.controlByteCountMax
        options.firstEpoch = Epoch(setup.pointee.first_epoch)
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[MemoryLayout<Self>.stride...])
        let receiver = try DeviceReceiver(
            CHooks(setup: setup),
            layout: layout,
            options: options,
            memory: DeviceMemory(rest, by: plan)
        )
        start.bindMemory(to: Self.self, capacity: 1)
            .initialize(to: CReceiver(mark: startedMark, receiver: receiver))
        return start.assumingMemoryBound(to: bleota_receiver.self)
    }

    private init(mark: UInt32, receiver: consuming DeviceReceiver<CHooks>) {
        self.mark = mark
        self.receiver = receiver
    }

    /// Lets a caller work with a receiver that was started and is not at work.
    static func use(
        _ pointer: UnsafeMutablePointer<bleota_receiver>?,
        _ body: (inout DeviceReceiver<CHooks>) -> bleota_error
    ) -> bleota_error {
        guard let pointer else { return BLEOTA_NULL_ARGUMENT }
        let memory = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Self.self)
        guard memory.pointee.mark == startedMark else { return BLEOTA_NOT_STARTED }
        guard !memory.pointee.isAtWork else { return BLEOTA_CALLED_FROM_HOOK }
        memory.pointee.isAtWork = true
        let error = body(&memory.pointee.receiver)
        memory.pointee.isAtWork = false
        return error
    }
}
