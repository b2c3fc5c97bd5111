import BLEOTADevice
import Testing

/// A receiver on a board, whichever functions drive it.
protocol TestDevice: AnyObject {
    func receive(control frame: [UInt8])
    func receive(data frame: [UInt8])
    func run() -> Microseconds?
    var isReceivingImage: Bool { get }
}

/// A ``DeviceReceiver`` with its memory.
final class SwiftDevice: TestDevice {
    var receiver: DeviceReceiver<BoardHooks>
    private let memory: GuardedBytes

    /// - Parameter extraByteCount: how much more memory it is given than it asks for.
    init(
        _ board: Board,
        blockByteCountMax: Int = 4_096,
        extraByteCount: Int = 0,
        firstEpoch: UInt8 = 0
    ) throws(FlashFault) {
        let layout = board.flash.layout
        let byteCount = DeviceMemory.byteCount(
            blockByteCount: blockByteCountMax,
            slotByteCount: layout.slot.count
        )
        memory = GuardedBytes(byteCount + extraByteCount)
        var options = ReceiverOptions()
        options.firstEpoch = Epoch(firstEpoch)
        receiver = try DeviceReceiver(
            BoardHooks(board: board),
            options: options,
            memory: DeviceMemory(
                memory.bytes,
                blockByteCount: blockByteCountMax,
                slotByteCount: layout.slot.count
            )
        )
    }

    deinit { #expect(memory.isIntact, "the receiver wrote outside its memory") }

    func receive(control frame: [UInt8]) { receiver.receive(control: frame.span.bytes) }
    func receive(data frame: [UInt8]) { receiver.receive(data: frame.span.bytes) }
    func run() -> Microseconds? { receiver.run() }
    var isReceivingImage: Bool { phase == .receiving(.image) }

    var phase: ReceiverPhase { receiver.currentPhase }
    var lastEnding: Reason? { receiver.lastEnding }
    var durableByteCount: UInt32 { receiver.durableByteCount }
    var imageByteCount: UInt32 { receiver.imageByteCount }

    func request(_ nameTag: TransferTag, session: SessionNumber) -> Bool {
        receiver.request(nameTag, session: session)
    }
}

/// Memory with a mark before and after it.
final class GuardedBytes {
    private static let guardByteCount = 64
    private let all: UnsafeMutableRawBufferPointer
    let bytes: UnsafeMutableRawBufferPointer

    /// - Parameter misalignment: how far past a multiple of 8 it begins.
    init(_ byteCount: Int, misalignment: Int = 0) {
        all = .allocate(byteCount: byteCount + 2 * Self.guardByteCount + misalignment, alignment: 8)
        for index in all.indices { all[index] = 0xA5 }
        let start = Self.guardByteCount + misalignment
        bytes = UnsafeMutableRawBufferPointer(rebasing: all[start..<start + byteCount])
    }

    deinit { all.deallocate() }

    var isIntact: Bool {
        let start = bytes.baseAddress! - all.baseAddress!
        return all[..<start].allSatisfy { $0 == 0xA5 }
            && all[(start + bytes.count)...].allSatisfy { $0 == 0xA5 }
    }
}
