import BLEOTADevice
import BLEOTAManifest
import BLEOTAReceiverC
import BLEOTASimulation
import BLEOTATestSupport
import CBLEOTAReceiver
import Testing

/// The functions for C, used as they are meant to be.
@Suite("The functions for C")
struct CReceiverTests {
    private static func board(_ geometry: NORFlash.Geometry = NORFlash.Geometry()) -> Board {
        Board(NORFlash(geometry, clock: TestClock()))
    }

    @Test("A whole transfer, and what the status says on the way", arguments: [UInt32(18), 79, 0])
    func transfer(controlByteCountMax: UInt32) throws {
        let key = TestKey(seed: 1)
        let board = Self.board()
        board.takesUnsigned = false
        board.keys = [key]
        board.hardware = ("maker/board", 3)
        board.component = "modem"
        let world = try World(board) { board in
            try CDevice(board) { setup in
                setup.control_byte_count_max = controlByteCountMax
                setup.first_epoch = 250
            }
        }
        let device = try #require(world.device as? CDevice)
        #expect(device.status.last_ending == .max && device.status.phase == BLEOTA_PHASE_IDLE)
        var attributes: [(type: ManifestAttributeType, value: [UInt8])] = []
        attributes.append((.hardware, [3, 0, 3, 0] + Array("maker/board".utf8)))
        attributes.append((.component, Array("modem".utf8)))
        attributes.append((.counter, [9, 0, 0, 0]))
        let image = TestImage(
            byteCount: 40_001,
            TestImage.Extras(attributes: attributes, signers: [key])
        )
        var phases: [bleota_phase] = []
        var durable: [UInt32] = []
        world.onRun = {
            let status = device.status
            if phases.last != status.phase { phases.append(status.phase) }
            #expect(status.durable_byte_count <= status.image_byte_count)
            if status.phase == BLEOTA_PHASE_JUDGING { #expect(status.durable_byte_count == 0) }
            if status.phase == BLEOTA_PHASE_RECEIVING_IMAGE {
                #expect(status.image_byte_count == 40_001)
                durable.append(status.durable_byte_count)
            }
        }
        #expect(world.transfer(image) == .verified)
        world.expectCurrent(image)
        #expect(
            phases == [
                BLEOTA_PHASE_IDLE, BLEOTA_PHASE_LOOKING_UP, BLEOTA_PHASE_RECEIVING_MANIFEST,
                BLEOTA_PHASE_JUDGING, BLEOTA_PHASE_RECEIVING_IMAGE, BLEOTA_PHASE_VERIFYING,
                BLEOTA_PHASE_FINISHED, BLEOTA_PHASE_IDLE,
            ]
        )
        #expect(durable == durable.sorted() && durable.contains(8_192))
        #expect(device.status.last_ending == 0 && device.status.durable_byte_count == 40_001)
        Self.expectSameRecord(world)
        let longest = world.frames.map(\.count).max()!
        #expect(longest <= (controlByteCountMax == 79 ? 79 : 18))
    }

    @Test("The status never has the numbers of another transfer")
    func statusOfTheNextTransfer() throws {
        let world = try World(Self.board()) { board in try CDevice(board) }
        let device = try #require(world.device as? CDevice)
        world.onRun = {
            let status = device.status
            #expect(status.durable_byte_count <= status.image_byte_count)
        }
        let short = TestImage(byteCount: 10)
        #expect(world.transfer(TestImage(byteCount: 40_001)) == .verified)
        #expect(world.transfer(short) == .verified)
        #expect(device.status.image_byte_count == 10 && device.status.durable_byte_count == 10)
        #expect(world.transfer(short) == .verified, "it is current, and nothing is received")
        #expect(device.status.image_byte_count == 0 && device.status.durable_byte_count == 0)
    }

    /// Both functions read the same record.
    private static func expectSameRecord(_ world: World) {
        let setup = CSetup(Board(world.flash))
        var record = bleota_record()
        #expect(readRecord(setup.pointer, &record) == BLEOTA_OK)
        let other = world.record()
        #expect(record.sequence == other?.sequence)
        #expect(record.counter == other?.counter)
        #expect(record.slot_address == other?.slotAddress)
        #expect(record.image_byte_count == other?.imageByteCount)
        let isSame = withUnsafeBytes(of: &record.image_sha256) { bytes in
            bytes.count == 32 && other?.imageSHA256.begins(with: bytes) == true
        }
        #expect(isSame)
    }

    @Test("Over a bad link, with a power cut in the midst of it")
    func badLink() throws {
        for seed in TestSeed.rounds(6) {
            var random = TestSeed(seed)
            let world = try World(Self.board(), faults: .all, seed: seed) { try CDevice($0) }
            let image = TestImage(byteCount: 30_000, seed: seed)
            world.flash.cut = NORFlash.Cut(
                operation: random.below(18),
                moment: NORFlash.Cut.Moment.allCases.randomElement(using: &random)!,
                random: random
            )
            world.send(image)
            world.run { $0.sender?.machine.outcome != nil }
            try #require(!world.flash.isPowered, "seed \(seed)")
            try world.restart()
            world.run { $0.sender?.machine.outcome != nil }
            #expect(world.sender?.machine.outcome == .verified, "seed \(seed)")
            world.expectCurrent(image, "seed \(seed)")
            Self.expectSameRecord(world)
        }
    }

    @Test("Garbage of every length is dropped, whatever it is at", arguments: [false, true])
    func garbage(isReceiving: Bool) throws {
        for seed in TestSeed.rounds(2) {
            var random = TestSeed(seed)
            let world = try World(Self.board()) { try CDevice($0) }
            let device = try #require(world.device as? CDevice)
            let image = TestImage(byteCount: 9_000)
            if isReceiving {
                world.send(image)
                world.run { _ in device.isReceivingImage }
            }
            let phase = device.status.phase
            for byteCount in 0...600 {
                // An array without elements has an address all the same.
                let garbage = random.bytes(max(1, byteCount))
                for function in [receiverTakeControl, receiverTakeData] {
                    let error = function(device.receiver, garbage, UInt32(byteCount))
                    #expect(error == BLEOTA_OK && device.status.phase == phase)
                }
            }
            let zeros = [UInt8](repeating: 0, count: 600)
            for byteCount: UInt32 in 0...600 {
                _ = receiverTakeControl(device.receiver, zeros, byteCount)
                _ = receiverTakeData(device.receiver, zeros, byteCount)
            }
            // Lengths that no buffer has.
            #expect(receiverTakeData(device.receiver, zeros, .max) == BLEOTA_OK)
            #expect(receiverTakeControl(device.receiver, zeros, .max) == BLEOTA_OK)
            #expect(device.memory.isIntact)
            if isReceiving {
                world.run { $0.sender?.machine.outcome != nil }
                #expect(world.sender?.machine.outcome == .verified)
            } else {
                #expect(world.transfer(image) == .verified)
            }
            world.expectCurrent(image)
        }
    }

    //= RUN-1
    @Test("QUERY is answered with what it was told to run")
    func running() throws {
        let world = try World(Self.board()) { try CDevice($0) }
        let device = try #require(world.device as? CDevice)
        func answer() throws -> ReceiverControl {
            let session = SessionNumber(0x4321)
            let query = SenderControl.Query(session: session)
            device.receive(control: FrameBytes.of(.query(query)))
            #expect(device.run() == nil)
            let frame = world.frames.last ?? []
            return try ReceiverControl(decoding: frame.span.bytes, session: session)
        }
        var status = try answer()
        #expect(status == .status(.init(state: .unknown, runningTag: 0)))
        let tag: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        for state: UInt32 in 0...4 {
            #expect(receiverSetRunning(device.receiver, bleota_running(state), tag) == BLEOTA_OK)
            status = try answer()
            let expected = ReceiverControl.Status(
                state: RunningState(rawValue: UInt8(state))!,
                runningTag: 0x0807_0605_0403_0201
            )
            #expect(status == .status(expected))
        }
        #expect(receiverSetRunning(device.receiver, BLEOTA_RUNNING_ON_TRIAL, nil) == BLEOTA_OK)
        // What is refused changes nothing.
        _ = receiverSetRunning(device.receiver, bleota_running(9), tag)
        status = try answer()
        #expect(status == .status(.init(state: .onTrial, runningTag: 0)))
    }

    //= ADV-3
    @Test("Service data has the flags and the version, which is left out if it does not fit")
    func serviceData() {
        var data = [UInt8](repeating: 0xEE, count: 16)
        func made(_ version: String?, _ wantsUpdate: Bool, _ room: UInt32) -> [UInt8] {
            data = [UInt8](repeating: 0xEE, count: 16)
            let count = BLEOTAReceiverC.serviceData(version, wantsUpdate, &data, room)
            #expect(data[Int(room)...].allSatisfy { $0 == 0xEE })
            return Array(data[..<Int(count)])
        }
        #expect(made("2.1", false, 10) == [0x80] + Array("2.1".utf8))
        #expect(made("12.345.67", true, 10) == [0x81] + Array("12.345.67".utf8))
        #expect(made("12.345.678", true, 10) == [0x81])
        #expect(made("12.345.678", true, 11) == [0x81] + Array("12.345.678".utf8))
        #expect(made("", true, 10) == [0x81])
        #expect(made(nil, false, 1) == [0x80])
        #expect(made("2", false, 1) == [0x80])
        #expect(made("2", false, 0) == [])
        #expect(BLEOTAReceiverC.serviceData("2", false, nil, 10) == 0)
    }

    @Test("A request goes out with the tag and session that it was given")
    func request() throws {
        let world = try World(Self.board()) { try CDevice($0) }
        let device = try #require(world.device as? CDevice)
        #expect(receiverRequest(device.receiver, [8, 7, 6, 5, 4, 3, 2, 1], 0xABCD) == BLEOTA_OK)
        #expect(device.run() == .seconds(1))
        let bytes = try #require(world.frames.last)
        let frame = try? ReceiverControl(
            decoding: bytes.span.bytes,
            session: SessionNumber(0xABCD)
        )
        let expected = ReceiverControl.Request(
            session: SessionNumber(0xABCD),
            nameTag: TransferTag(rawValue: 0x0102_0304_0506_0708)
        )
        #expect(frame == .request(expected))
    }

    @Test("Giving up is told to the sender")
    func givingUp() throws {
        let world = try World(Self.board()) { try CDevice($0) }
        let device = try #require(world.device as? CDevice)
        world.send(TestImage(byteCount: 30_000))
        world.run { _ in device.isReceivingImage }
        #expect(receiverGiveUp(device.receiver, 0x0502) == BLEOTA_OK)
        #expect(device.status.last_ending == 0x0502)
        world.run { $0.sender?.machine.outcome != nil }
        #expect(world.sender?.machine.outcome == .refused(.notNow, detail: 0))
    }

    @Test("A slot of 1 MiB takes little more than two blocks, here with pointers of 64 bits")
    func byteCount() {
        for (blockByteCount, overheadMax) in [(UInt32(0), 1_536), (4_096, 1_536), (256, 2_048)] {
            let setup = CSetup(Self.board())
            setup.pointer.pointee.flash.slot_byte_count = 1_048_576
            setup.pointer.pointee.flash.manifest_address = 0x80_0000
            setup.pointer.pointee.flash.record_address = 0x90_0000
            setup.pointer.pointee.block_byte_count_max = blockByteCount
            let byteCount = Int(receiverByteCount(setup.pointer))
            let blocks = max(2 * Int(blockByteCount == 0 ? 4_096 : blockByteCount), 1_024)
            print("blocks of \(blockByteCount): \(byteCount - blocks) bytes besides \(blocks)")
            #expect((blocks + 1...blocks + overheadMax).contains(byteCount))
        }
    }

    @Test("More memory is used for longer manifests")
    func moreMemory() throws {
        // 80 hashes of 16 bytes are more than the 1,024 bytes that there are at least.
        let image = TestImage(byteCount: 80 * 256, blockByteCount: 256)
        for (extra, outcome) in [
            (UInt32(0), SenderOutcome.refused(.tooLarge, detail: 1_024)), (1_024, .verified),
        ] {
            let world = try World(Self.board()) { board in
                try SwiftDevice(board, blockByteCountMax: 256, extraByteCount: Int(extra))
            }
            #expect(world.transfer(image) == outcome)
        }
    }

    @Test(
        "Names are compared whole",
        arguments: [
            ("maker/board", "maker/board", true), ("maker/boar", "maker/board", false),
            ("maker/board2", "maker/board", false), ("naker/board", "maker/board", false),
        ]
    )
    func hardware(name: String, device: String, isValid: Bool) throws {
        let board = Self.board()
        board.hardware = (device, 3)
        let world = try World(board) { try CDevice($0) }
        let value: [UInt8] = [0, 0, 9, 0] + Array(name.utf8)
        let image = TestImage(byteCount: 500, TestImage.Extras(attributes: [(.hardware, value)]))
        let outcome = world.transfer(image)
        #expect(outcome == (isValid ? .verified : .refused(.wrongHardware, detail: 0)))
    }

    //= ACCEPT-4
    @Test(
        "A component with a zero byte is none that a text of C names",
        arguments: ["modem", "modem\0", "modem\0x", "mode", "modem2", "\0"].map { Array($0.utf8) }
    )
    func component(name: [UInt8]) throws {
        let board = Self.board()
        let world = try World(board) { board in
            let device = try CDevice(board)
            // What follows the text in memory.
            device.setup.pointer.pointee.component = device.setup.text(Array("modem\0x".utf8))
            return device
        }
        let attribute = (type: ManifestAttributeType.component, value: name)
        let image = TestImage(byteCount: 500, TestImage.Extras(attributes: [attribute]))
        let outcome = world.transfer(image)
        #expect(
            outcome
                == (name == Array("modem".utf8) ? .verified : .refused(.wrongComponent, detail: 0))
        )
    }
}
