import BLEOTADevice
import Board

/// 512 KiB in pages of 4 KiB: 9 for the boot loader, two slots of 57, two for the manifest and two
/// for the record.
private enum Flash {
    static var pageByteCount: UInt32 { 4096 }
    static var slotByteCount: UInt32 { 57 * pageByteCount }
    static var slotA: UInt32 { 9 * pageByteCount }
    static var slotB: UInt32 { slotA + slotByteCount }
    static var manifest: UInt32 { slotB + slotByteCount }
    static var record: UInt32 { manifest + 2 * pageByteCount }

    /// The layout of a firmware that runs from one of the slots.
    static func layout(runningFrom runningSlot: UInt32) -> FlashLayout? {
        FlashLayout(
            pageByteCount: pageByteCount,
            writeByteCount: 4,
            slot: (runningSlot == slotA ? slotB : slotA, slotByteCount),
            manifest: (manifest, 2 * pageByteCount),
            recordAddress: record
        )
    }
}

/// Two blocks, and what ``DeviceMemory/byteCount(blockByteCount:slotByteCount:)`` adds to them.
private let blockByteCount = 4096
private typealias Memory = InlineArray<1088, UInt64>
/// How many frames are taken before the flash gets its turn: what the ring of the link holds.
private let frameCountMax = 40

@main
struct Firmware {
    static func main() {
        var memory = Memory(repeating: 0)
        var notes = Notes()
        withUnsafeMutableBytes(of: &memory) { memory in
            withUnsafeMutablePointer(to: &notes) { notes in
                guard let layout = Flash.layout(runningFrom: board_running_slot()) else { return }
                serve(in: memory, Lamp(notes: notes, layout: layout))
            }
        }
        // A flash that can't be read, or a layout that is none.
        board_reset()
    }

    private static func serve(in memory: UnsafeMutableRawBufferPointer, _ lamp: Lamp) {
        let needed = DeviceMemory.byteCount(
            blockByteCount: blockByteCount,
            slotByteCount: Int(Flash.slotByteCount)
        )
        guard needed <= memory.count else { return }
        var options = ReceiverOptions()
        options.firstEpoch = Epoch(UInt8(truncatingIfNeeded: board_now()))
        do throws(FlashFault) {
            var receiver = try DeviceReceiver(
                lamp,
                options: options,
                memory: DeviceMemory(
                    memory,
                    blockByteCount: blockByteCount,
                    slotByteCount: lamp.layout.slot.count
                )
            )
            receiver.setRunning(try running(lamp))
            while true { try turn(&receiver, lamp) }
        } catch {}
    }

    /// What runs, if the record knows it. This boot loader has no trial: what runs, stays.
    private static func running(_ lamp: Lamp) throws(FlashFault) -> ReceiverControl.Status {
        let record = try SlotRecord(of: lamp)
        guard record.imageByteCount > 0, record.slotAddress == board_running_slot() else {
            return ReceiverControl.Status(state: .unknown, runningTag: 0)
        }
        return ReceiverControl.Status(state: .confirmed, runningTag: record.imageSHA256.tag)
    }

    /// One turn of the main loop.
    private static func turn(
        _ receiver: inout DeviceReceiver<Lamp>,
        _ lamp: Lamp
    ) throws(FlashFault) {
        takeFrames(&receiver)
        let wait = receiver.run()
        // The sender has its RESULT, or did not fetch it in 10 seconds.
        if lamp.notes.pointee.hasVerified {
            if case .finished = receiver.currentPhase {} else { try restartIfNew(lamp) }
        }
        if wait != .zero {
            board_sleep(wait.map { UInt32(clamping: $0.rawValue) } ?? .max)
        }
    }

    private static func takeFrames(_ receiver: inout DeviceReceiver<Lamp>) {
        var room = InlineArray<512, UInt8>(repeating: 0)
        withUnsafeMutableBytes(of: &room) { room in
            for _ in 0..<frameCountMax {
                var isControl = false
                let byteCount = board_link_receive(
                    room.baseAddress,
                    UInt32(room.count),
                    &isControl
                )
                guard byteCount > 0 else { return }
                let frame = UnsafeRawBufferPointer(rebasing: room[..<Int(byteCount)])
                if isControl {
                    receiver.receive(control: frame.bytes)
                } else {
                    receiver.receive(data: frame.bytes)
                }
            }
        }
    }

    /// Starts the image that was verified. An image that runs already is verified, too, when it is
    /// pushed again.
    private static func restartIfNew(_ lamp: Lamp) throws(FlashFault) {
        let record = try SlotRecord(of: lamp)
        if record.imageByteCount > 0, record.slotAddress != board_running_slot() {
            board_reset()
        }
        lamp.notes.pointee.hasVerified = false
    }
}
