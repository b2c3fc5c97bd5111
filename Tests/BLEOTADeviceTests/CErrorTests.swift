import BLEOTADevice
import BLEOTAReceiverC
import CBLEOTAReceiver
import Testing

/// The functions for C: every misuse that they have a name for.
@Suite("The functions for C name")
struct CErrorTests {
    private typealias Change = (inout bleota_setup) -> Void

    private static func board() -> Board {
        Board(NORFlash(NORFlash.Geometry(), clock: TestClock()))
    }

    private static func start(
        _ memory: UnsafeMutableRawBufferPointer,
        _ setup: CSetup,
        byteCount: UInt32? = nil
    ) -> (error: bleota_error, receiver: UnsafeMutablePointer<bleota_receiver>?) {
        // Whatever was there is replaced.
        var receiver: UnsafeMutablePointer<bleota_receiver>? = .init(bitPattern: 0x1000)
        let error = receiverStart(
            memory.baseAddress,
            byteCount ?? UInt32(memory.count),
            setup.pointer,
            &receiver
        )
        #expect((error == BLEOTA_OK) == (receiver != nil))
        return (error, receiver)
    }

    /// What a start says to a changed setup; also that no memory is asked for it where it is not
    /// valid.
    private static func error(_ change: Change) -> bleota_error {
        let setup = CSetup(board())
        let memory = GuardedBytes(Int(receiverByteCount(setup.pointer)) + 65_536 * 2)
        change(&setup.pointer.pointee)
        let error = start(memory.bytes, setup).error
        #expect((receiverByteCount(setup.pointer) > 0) == (error == BLEOTA_OK))
        #expect(memory.isIntact)
        return error
    }

    @Test("A pointer that is null")
    func null() {
        let setup = CSetup(Self.board())
        let memory = GuardedBytes(Int(receiverByteCount(setup.pointer)))
        let byteCount = UInt32(memory.bytes.count)
        var receiver: UnsafeMutablePointer<bleota_receiver>? = .init(bitPattern: 0x1000)
        #expect(receiverStart(memory.bytes.baseAddress, byteCount, setup.pointer, nil) == Self.null)
        #expect(receiverStart(nil, byteCount, setup.pointer, &receiver) == Self.null)
        #expect(receiver == nil)
        #expect(receiverStart(memory.bytes.baseAddress, byteCount, nil, &receiver) == Self.null)
        #expect(receiverByteCount(nil) == 0)
        let started = Self.start(memory.bytes, setup).receiver!
        var byte: UInt8 = 0
        var status = bleota_status()
        var record = bleota_record()
        #expect(receiverTakeControl(nil, &byte, 1) == Self.null)
        #expect(receiverTakeControl(started, nil, 0) == Self.null)
        #expect(receiverTakeData(nil, &byte, 1) == Self.null)
        #expect(receiverTakeData(started, nil, 0) == Self.null)
        #expect(receiverRun(nil, nil) == Self.null)
        #expect(receiverRun(started, nil) == BLEOTA_OK)
        #expect(receiverRequest(nil, [1, 2, 3, 4, 5, 6, 7, 8], 1) == Self.null)
        #expect(receiverRequest(started, nil, 1) == Self.null)
        #expect(receiverGiveUp(nil, 0x0502) == Self.null)
        #expect(receiverSetRunning(nil, BLEOTA_RUNNING_FAILED, nil) == Self.null)
        #expect(receiverStatus(nil, &status) == Self.null)
        #expect(receiverStatus(started, nil) == Self.null)
        #expect(readRecord(nil, &record) == Self.null)
        #expect(readRecord(setup.pointer, nil) == Self.null)
    }

    private static let null = BLEOTA_NULL_ARGUMENT

    @Test("A hook that is missing")
    func hooks() {
        #expect(Self.error { $0.hooks.read = nil } == BLEOTA_HOOK_MISSING)
        #expect(Self.error { $0.hooks.write = nil } == BLEOTA_HOOK_MISSING)
        #expect(Self.error { $0.hooks.erase = nil } == BLEOTA_HOOK_MISSING)
        #expect(Self.error { $0.hooks.send = nil } == BLEOTA_HOOK_MISSING)
        #expect(Self.error { $0.hooks.now = nil } == BLEOTA_HOOK_MISSING)
        #expect(Self.error { $0.hooks.verify = nil } == BLEOTA_HOOK_MISSING)
        #expect(Self.error { $0.hooks.log = nil } == BLEOTA_OK)
        let isWithoutTrust = Self.error { setup in
            setup.hooks.trusts = nil
            setup.hooks.verify = nil
        }
        #expect(isWithoutTrust == BLEOTA_OK)
        // Else a device would take what nobody looked at the signature of.
        #expect(Self.error { $0.hooks.trusts = nil } == BLEOTA_HOOK_MISSING)
    }

    @Test("A number that is out of its range")
    func numbers() {
        for byteCount: UInt32 in [1, 128, 255, 257, 300, 4_095, 4_097, 65_537, 131_072, .max] {
            #expect(Self.error { $0.block_byte_count_max = byteCount } == BLEOTA_SETUP_INVALID)
        }
        for byteCount: UInt32 in [0, 256, 512, 4_096, 8_192, 65_536] {
            #expect(Self.error { $0.block_byte_count_max = byteCount } == BLEOTA_OK)
        }
        for byteCount: UInt32 in [1, 17, 80, 512, .max] {
            #expect(Self.error { $0.control_byte_count_max = byteCount } == BLEOTA_SETUP_INVALID)
        }
        for byteCount: UInt32 in [0, 18, 19, 79] {
            #expect(Self.error { $0.control_byte_count_max = byteCount } == BLEOTA_OK)
        }
    }

    @Test("A flash that can't be")
    func flash() {
        let slot = CSetup(Self.board()).pointer.pointee.flash.slot_address
        let changes: [(inout bleota_flash) -> Void] = [
            { $0.page_byte_count = 0 },
            { $0.page_byte_count = 128 },
            { $0.page_byte_count = 4_097 },
            { $0.page_byte_count = 6_144 },
            { $0.page_byte_count = 262_144 },
            { $0.page_byte_count = .max },
            { $0.write_byte_count = 0 },
            { $0.write_byte_count = 3 },
            { $0.write_byte_count = 128 },
            { $0.write_byte_count = .max },
            { $0.slot_byte_count = 0 },
            { $0.slot_byte_count += 1 },
            { $0.slot_byte_count -= 2_048 },
            { $0.slot_byte_count = 0xFFFF_F000 },
            {
                $0.slot_address = 0x4000_0000
                $0.slot_byte_count = 0x2000_0000
            },
            { $0.slot_address += 2_048 },
            { $0.slot_address = 0xFFFF_F000 },
            { $0.manifest_byte_count = 0 },
            { $0.manifest_byte_count -= 1 },
            { $0.manifest_address += 1 },
            { $0.manifest_address = 0xFFFF_F000 },
            { $0.record_address += 4 },
            { $0.record_address = 0xFFFF_F000 },
            { $0.manifest_address = $0.slot_address },
            { $0.manifest_address = $0.slot_address + $0.slot_byte_count - 4_096 },
            { $0.slot_address = $0.manifest_address + $0.manifest_byte_count - 4_096 },
            { $0.record_address = $0.slot_address },
            { $0.record_address = $0.slot_address - 4_096 },
            { $0.record_address = $0.slot_address + $0.slot_byte_count - 4_096 },
            { $0.record_address = $0.manifest_address - 4_096 },
            { $0.record_address = $0.manifest_address + $0.manifest_byte_count - 4_096 },
            // Aligned to smaller pages alone.
            {
                $0.page_byte_count = 131_072
                $0.slot_byte_count = 131_072
                $0.slot_address = slot
            },
        ]
        for (index, change) in changes.enumerated() {
            let name: Comment = "change \(index)"
            #expect(Self.error { change(&$0.flash) } == BLEOTA_FLASH_INVALID, name)
            let setup = CSetup(Self.board())
            change(&setup.pointer.pointee.flash)
            var record = bleota_record()
            #expect(readRecord(setup.pointer, &record) == BLEOTA_FLASH_INVALID, name)
        }
        let largest = Self.error { setup in
            setup.flash.slot_address = 0x4000_0000
            setup.flash.slot_byte_count = 0x1FFF_F000
        }
        #expect(largest == BLEOTA_OK)
        // Side by side is no overlap.
        #expect(
            Self.error { setup in
                setup.flash.manifest_address = setup.flash.slot_address - 16_384
                setup.flash.slot_byte_count -= 8_192
                setup.flash.record_address = setup.flash.slot_address + 57_344
                setup.hooks.read = { _, _, bytes, byteCount in
                    bytes?.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Int(byteCount))
                    return 0
                }
            } == BLEOTA_OK
        )
    }

    @Test("Memory that is too small by a byte, or not at a multiple of 8")
    func memory() {
        let setup = CSetup(Self.board())
        let byteCount = Int(receiverByteCount(setup.pointer))
        for misalignment in 0..<8 {
            let memory = GuardedBytes(byteCount, misalignment: misalignment)
            let error = Self.start(memory.bytes, setup).error
            #expect(error == (misalignment == 0 ? BLEOTA_OK : BLEOTA_MEMORY_MISALIGNED))
            #expect(memory.isIntact)
        }
        for missing in [1, 8, byteCount - 1, byteCount] {
            let memory = GuardedBytes(byteCount)
            let error = Self.start(memory.bytes, setup, byteCount: UInt32(byteCount - missing))
                .error
            #expect(error == BLEOTA_MEMORY_TOO_SMALL)
            #expect(memory.bytes.allSatisfy { $0 == 0xA5 } && memory.isIntact)
        }
    }

    @Test("The first of several, in the order that is documented")
    func order() {
        let board = Self.board()
        board.failure = (0, false)
        let setup = CSetup(board)
        let whole = setup.pointer.pointee
        let byteCount = Int(receiverByteCount(setup.pointer))
        let memory = GuardedBytes(byteCount, misalignment: 4)
        setup.pointer.pointee.hooks.now = nil
        setup.pointer.pointee.control_byte_count_max = 1
        setup.pointer.pointee.flash.page_byte_count = 1
        func start(_ memory: UnsafeMutableRawBufferPointer, _ count: Int) -> bleota_error {
            Self.start(memory, setup, byteCount: UInt32(count)).error
        }
        #expect(start(memory.bytes, 1) == BLEOTA_HOOK_MISSING)
        setup.pointer.pointee.hooks = whole.hooks
        #expect(start(memory.bytes, 1) == BLEOTA_SETUP_INVALID)
        setup.pointer.pointee.control_byte_count_max = 0
        #expect(start(memory.bytes, 1) == BLEOTA_FLASH_INVALID)
        setup.pointer.pointee.flash = whole.flash
        #expect(start(memory.bytes, 1) == BLEOTA_MEMORY_MISALIGNED)
        let aligned = GuardedBytes(byteCount)
        #expect(start(aligned.bytes, 1) == BLEOTA_MEMORY_TOO_SMALL)
        #expect(start(aligned.bytes, byteCount) == BLEOTA_FLASH_FAILED)
        #expect(start(aligned.bytes, byteCount) == BLEOTA_OK)
    }

    @Test("Memory in which nothing was started")
    func notStarted() {
        let memory = GuardedBytes(20_000)
        let receiver = memory.bytes.baseAddress!.assumingMemoryBound(to: bleota_receiver.self)
        for byte: UInt8 in [0, 0xA5, 0xFF] {
            for index in memory.bytes.indices { memory.bytes[index] = byte }
            for error in Self.callAll(receiver) { #expect(error == BLEOTA_NOT_STARTED) }
            #expect(memory.bytes.allSatisfy { $0 == byte })
        }
    }

    @Test("Memory in which a second start failed")
    func startedAgain() throws {
        let device = try CDevice(Self.board())
        device.setup.board.failure = (device.setup.board.fallibleCallCount, false)
        let again = Self.start(device.memory.bytes, device.setup)
        #expect(again.error == BLEOTA_FLASH_FAILED)
        for error in Self.callAll(device.receiver) { #expect(error == BLEOTA_NOT_STARTED) }
        #expect(Self.start(device.memory.bytes, device.setup).error == BLEOTA_OK)
        #expect(device.status.phase == BLEOTA_PHASE_IDLE)
    }

    /// Calls every function that takes a receiver.
    static func callAll(_ receiver: UnsafeMutablePointer<bleota_receiver>) -> [bleota_error] {
        var wait: UInt32 = 7
        var status = bleota_status()
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        defer { #expect(wait == 7 && status.last_ending == 0) }
        return [
            receiverTakeControl(receiver, bytes, 8),
            receiverTakeControl(receiver, bytes, 600),
            receiverTakeData(receiver, bytes, 8),
            receiverRun(receiver, &wait),
            receiverRequest(receiver, bytes, 9),
            receiverRequest(receiver, bytes, 70_000),
            receiverGiveUp(receiver, 0x0701),
            receiverGiveUp(receiver, 0),
            receiverSetRunning(receiver, BLEOTA_RUNNING_CONFIRMED, bytes),
            receiverSetRunning(receiver, bleota_running(77), nil),
            receiverStatus(receiver, &status),
        ]
    }

    @Test("A hook that calls the receiver, whichever it is, and nothing comes of it")
    func calledFromHook() throws {
        let key = TestKey(seed: 1)
        let board = Self.board()
        board.takesUnsigned = false
        board.keys = [key]
        var device: CDevice?
        let world = try World(board) { board in
            device = try CDevice(board)
            return device!
        }
        var hooks: Set<Board.Hook> = []
        board.onHook = { hook in
            guard let device else { return }
            hooks.insert(hook)
            let errors = Self.callAll(device.receiver)
            #expect(errors.allSatisfy { $0 == BLEOTA_CALLED_FROM_HOOK }, "\(hook): \(errors)")
        }
        let image = TestImage(byteCount: 5_000, TestImage.Extras(signers: [key]))
        #expect(world.transfer(image) == .verified)
        world.expectCurrent(image)
        board.onHook = nil
        #expect(hooks == Set(Board.Hook.allCases))
    }

    @Test("An argument that is out of its range, and what is not possible now")
    func arguments() throws {
        let world = try World(Self.board()) { try CDevice($0) }
        let device = try #require(world.device as? CDevice)
        let receiver = device.receiver
        let tag: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(receiverGiveUp(receiver, 0) == BLEOTA_ARGUMENT_INVALID)
        #expect(receiverGiveUp(receiver, 65_536) == BLEOTA_ARGUMENT_INVALID)
        #expect(receiverGiveUp(receiver, 65_535) == BLEOTA_OK)
        #expect(device.status.last_ending == .max)
        for state: UInt32 in [5, 255, 256, 257, 0x7FFF_FFFF] {
            let error = receiverSetRunning(receiver, bleota_running(state), nil)
            #expect(error == BLEOTA_ARGUMENT_INVALID)
        }
        #expect(receiverRequest(receiver, tag, 65_536) == BLEOTA_ARGUMENT_INVALID)
        #expect(receiverRequest(receiver, tag, 65_535) == BLEOTA_OK)
        #expect(device.status.phase == BLEOTA_PHASE_REQUESTING)
        #expect(receiverRequest(receiver, tag, 1) == BLEOTA_NOT_NOW)
        #expect(receiverGiveUp(receiver, 0x0701) == BLEOTA_OK)
        #expect(device.status.phase == BLEOTA_PHASE_IDLE)
        world.send(TestImage(byteCount: 9_000))
        world.run { _ in device.isReceivingImage }
        #expect(receiverRequest(receiver, tag, 1) == BLEOTA_NOT_NOW)
        #expect(receiverRequest(receiver, tag, 65_536) == BLEOTA_ARGUMENT_INVALID)
        world.run { $0.sender?.machine.outcome != nil }
        #expect(world.sender?.machine.outcome == .verified)
    }

    @Test("What the record is not")
    func record() throws {
        let board = Self.board()
        let setup = CSetup(board)
        var record = bleota_record()
        #expect(readRecord(setup.pointer, &record) == BLEOTA_NO_RECORD)
        #expect(record.sequence == 0 && record.image_byte_count == 0)
        for call in 0..<2 {
            board.failure = (board.fallibleCallCount + call, false)
            #expect(readRecord(setup.pointer, &record) == BLEOTA_FLASH_FAILED)
        }
        let read = setup.pointer.pointee.hooks.read
        setup.pointer.pointee.hooks = bleota_hooks()
        setup.pointer.pointee.flash.page_byte_count = 1
        #expect(readRecord(setup.pointer, &record) == BLEOTA_HOOK_MISSING)
        setup.pointer.pointee.hooks.read = read
        #expect(readRecord(setup.pointer, &record) == BLEOTA_FLASH_INVALID)
    }

    @Test("Every error in words of its own")
    func names() {
        var names: Set<String> = []
        for error in UInt32(0)...13 {
            names.insert(String(cString: errorName(bleota_error(error))))
        }
        #expect(names.count == 14 && names.allSatisfy { !$0.isEmpty })
        let unknown = String(cString: errorName(bleota_error(0x7FFF_FFFF)))
        #expect(unknown == "not an error code of this library")
    }
}
