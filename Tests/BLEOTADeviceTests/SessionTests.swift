import BLEOTADevice
import BLEOTASimulation
import Testing

/// What the link or the application says while the store is at work, at every step of its work.
@Suite("A device at work")
struct SessionTests {
    private static let image = TestImage(byteCount: 9_000)
    private static let other = TestImage(byteCount: 7_000, seed: 3)

    /// Something that happens to a session.
    enum Event: CaseIterable {
        case anotherOpen, manyOpens, close, withdrawn, poll, strayPoll, query, openAgain, abort
        case requestRefused, silence
    }

    private static func world() throws -> World {
        let geometry = NORFlash.Geometry(pageByteCount: 2_048)
        let world = try World(Board(NORFlash(geometry, clock: TestClock())))
        #expect(world.transfer(TestImage(byteCount: 5_000, seed: 99)) == .verified)
        world.board.forgetEvents()
        return world
    }

    /// After how many calls of run a transfer is over.
    private static func stepCount() throws -> Int {
        let world = try world()
        var count = 0
        world.onRun = { count += 1 }
        #expect(world.transfer(image) == .verified)
        return count
    }

    //= OPEN-5
    //= END-8
    @Test(
        "Whatever happens at whatever step, the next transfer is a good one",
        arguments: Event.allCases
    )
    func everyStep(event: Event) throws {
        let stepCount = try Self.stepCount()
        try #require(stepCount > 50)
        for step in 0..<stepCount {
            let name: Comment = "\(event) at step \(step)"
            let world = try Self.world()
            let device = try #require(world.device as? SwiftDevice)
            var count = 0
            world.onRun = { count += 1 }
            world.send(Self.image)
            world.run { _ in count >= step }
            try #require(count >= step, name)
            Self.happen(event, world, device, name)
            #expect(world.transfer(Self.other) == .verified, name)
            world.expectCurrent(Self.other, name)
            #expect(world.transfer(Self.image) == .verified, name)
            world.expectCurrent(Self.image, name)
            let latest = world.clock.now + .seconds(15)
            world.run { $0.clock.now >= latest }
            #expect(device.phase == .idle, name)
            #expect(device.run() == nil, name)
        }
    }

    private static func happen(
        _ event: Event,
        _ world: World,
        _ device: SwiftDevice,
        _ name: Comment
    ) {
        let phase = device.phase
        let session = world.sender!.machine.session
        let isOpen = phase != .idle && !isFinished(phase)
        switch event {
        case .anotherOpen:
            device.receive(control: other.open(0x7777))
            #expect(device.phase == .lookingUp, name)
            world.stopSending()
        case .manyOpens:
            for number: UInt16 in 0x7700..<0x7740 {
                device.receive(control: (number & 1 == 0 ? image : other).open(number))
                if number % 7 == 0 {
                    let close = SenderControl.Close(
                        session: SessionNumber(number),
                        reason: number % 3 == 0 ? .withdrawn : .cancelled
                    )
                    device.receive(control: FrameBytes.of(.close(close)))
                }
            }
            world.stopSending()
        case .close, .withdrawn:
            let reason: Reason = event == .close ? .cancelled : .withdrawn
            let close = SenderControl.Close(session: session, reason: reason)
            device.receive(control: FrameBytes.of(.close(close)))
            world.stopSending()
            #expect(device.phase == .idle, name)
            #expect(!isOpen || device.lastEnding == reason, name)
            drain(device)
            if event == .withdrawn, isOpen {
                // Neither its manifest is there any more nor a block of it.
                let start = world.flash.layout.manifest.lowerBound
                let end = start + UInt32(image.manifest.count)
                #expect(!world.flash[start..<end].elementsEqual(image.manifest), name)
                let slot = world.flash.slot(4_096)
                #expect(!slot.elementsEqual(image.bytes.prefix(4_096)), name)
            }
        case .poll, .strayPoll:
            let poll = SenderControl.Poll(
                session: event == .poll ? session : SessionNumber(session.rawValue &+ 9),
                object: .manifest,
                epoch: Epoch(0)
            )
            let frameCount = world.frames.count
            for _ in 0..<3 { device.receive(control: FrameBytes.of(.poll(poll))) }
            #expect(device.phase == phase, name)
            _ = device.run()
            #expect(world.frames.count > frameCount, name)
            transferAgain(world, name)
        case .query:
            let query = SenderControl.Query(session: SessionNumber(0x1234))
            device.receiver.setRunning(.init(state: .onTrial, runningTag: 77))
            let frameCount = world.frames.count
            device.receive(control: FrameBytes.of(.query(query)))
            _ = device.run()
            let answers = world.frames[frameCount...].compactMap {
                try? ReceiverControl(decoding: $0.span.bytes, session: SessionNumber(0x1234))
            }
            #expect(answers == [.status(.init(state: .onTrial, runningTag: 77))], name)
            transferAgain(world, name)
        case .openAgain:
            device.receive(control: image.open(session.rawValue))
            transferAgain(world, name)
        case .abort:
            device.receiver.abort(.notNow)
            #expect(device.phase == (isOpen ? .finished(.notNow) : phase), name)
            world.run { $0.sender?.machine.outcome != nil }
            let outcome = world.sender?.machine.outcome
            #expect(outcome == (isOpen ? .refused(.notNow, detail: 0) : .verified), name)
        case .requestRefused:
            let isTaken = device.request(TransferTag(rawValue: 1), session: session)
            #expect(isTaken == (phase == .idle), name)
            if isTaken { device.receiver.abort(.cancelled) }
            transferAgain(world, name)
        case .silence:
            world.stopSending()
            let latest = world.clock.now + .seconds(45)
            world.run { $0.clock.now >= latest }
            #expect(device.phase == .idle, name)
            #expect(!isOpen || device.lastEnding != nil, name)
        }
    }

    private static func transferAgain(_ world: World, _ name: Comment) {
        world.run { $0.sender?.machine.outcome != nil }
        #expect(world.sender?.machine.outcome == .verified, name)
        world.expectCurrent(image, name)
    }

    /// Until the store has done what it was told.
    private static func drain(_ device: SwiftDevice) {
        for _ in 0..<10 { _ = device.run() }
    }

    private static func isFinished(_ phase: ReceiverPhase) -> Bool {
        if case .finished = phase { true } else { false }
    }

    @Test("What was held of a transfer that is withdrawn is not said to be there")
    func withdrawnIsForgotten() throws {
        let world = try Self.world()
        let device = try #require(world.device as? SwiftDevice)
        world.send(Self.image)
        world.run { $0.durableByteCountTold >= 4_096 }
        #expect(device.imageByteCount == 9_000)
        world.sender?.machine.abort(.withdrawn)
        let latest = world.clock.now + .seconds(1)
        world.run { $0.clock.now >= latest }
        #expect(device.lastEnding == .withdrawn)
        #expect(device.durableByteCount == 0 && device.imageByteCount == 0)
    }

    //= END-8
    /// It once stayed, since nobody had looked what was there of it.
    @Test("A withdrawal that comes before anybody looked forgets its own transfer")
    func withdrawnUnseen() throws {
        let world = try Self.world()
        let device = try #require(world.device as? SwiftDevice)
        world.send(Self.image)
        world.run { $0.durableByteCountTold >= 4_096 }
        world.stopSending()
        let latest = world.clock.now + .seconds(45)
        world.run { $0.clock.now >= latest }
        device.receive(control: Self.image.open(0x7777))
        let close = SenderControl.Close(session: SessionNumber(0x7777), reason: .withdrawn)
        device.receive(control: FrameBytes.of(.close(close)))
        // It would name another transfer to the store before that has looked.
        device.receive(control: Self.other.open(0x7778))
        Self.drain(device)
        #expect(device.phase == .idle && device.lastEnding == .withdrawn)
        let start = world.flash.layout.manifest.lowerBound
        let end = start + UInt32(Self.image.manifest.count)
        #expect(!world.flash[start..<end].elementsEqual(Self.image.manifest))
        #expect(!world.flash.slot(4_096).elementsEqual(Self.image.bytes.prefix(4_096)))
        #expect(world.transfer(Self.other) == .verified)
        world.expectCurrent(Self.other)
    }

    /// It once took along the transfer of the session before.
    @Test("A withdrawal that comes before anybody looked forgets nothing of another transfer")
    func withdrawnAtOnce() throws {
        let world = try Self.world()
        let device = try #require(world.device as? SwiftDevice)
        world.send(Self.image)
        world.run { $0.durableByteCountTold >= 4_096 }
        world.stopSending()
        let latest = world.clock.now + .seconds(45)
        world.run { $0.clock.now >= latest }
        #expect(device.lastEnding == .silent)
        device.receive(control: Self.other.open(0x7777))
        let close = SenderControl.Close(session: SessionNumber(0x7777), reason: .withdrawn)
        device.receive(control: FrameBytes.of(.close(close)))
        Self.drain(device)
        #expect(device.phase == .idle && device.lastEnding == .withdrawn)
        #expect(world.flash.slot(4_096).elementsEqual(Self.image.bytes.prefix(4_096)))
        #expect(world.transfer(Self.image) == .verified)
        #expect(world.resumedByteCounts.last ?? 0 >= 4_096)
        world.expectCurrent(Self.image)
    }

    @Test("A request is answered by a transfer")
    func request() throws {
        let world = try Self.world()
        let device = try #require(world.device as? SwiftDevice)
        #expect(device.request(TransferTag(rawValue: 0xAB), session: SessionNumber(0x5151)))
        _ = device.run()
        let bytes = world.frames.last!
        let frame = try? ReceiverControl(
            decoding: bytes.span.bytes,
            session: SessionNumber(0x5151)
        )
        let expected = ReceiverControl.Request(
            session: SessionNumber(0x5151),
            nameTag: TransferTag(rawValue: 0xAB)
        )
        #expect(frame == .request(expected))
        device.receive(control: Self.other.open(0x2222))
        #expect(device.phase == .requesting)
        device.receive(control: Self.image.open(0x5151))
        #expect(device.phase == .lookingUp)
        #expect(world.transfer(Self.image) == .verified)
    }
}
