import BLEOTACore
import BLEOTAHost
import BLEOTAWire
import Synchronization
import Testing

@testable import BLEOTA

/// The small parts that the drivers are made of.
@Suite("Parts of the drivers", .timeLimit(.minutes(1)))
struct DriverPartsTests {
    // MARK: - AsyncSignal

    @Test("A call before the wait is not lost, and several count as one")
    func wakeupBefore() async {
        let wakeup = AsyncSignal()
        wakeup.call()
        wakeup.call()
        await wakeup.wait()
        let waiter = Task { await wakeup.wait() }
        await letOthersRun()
        wakeup.call()
        await waiter.value
    }

    @Test("Ten thousand calls from another task wake the waiter often enough")
    func wakeupStorm() async {
        let wakeup = AsyncSignal()
        let count = Atomic(0)
        let caller = Task {
            for _ in 0..<10_000 {
                count.add(1, ordering: .relaxed)
                wakeup.call()
            }
        }
        while count.load(ordering: .relaxed) < 10_000 { await wakeup.wait() }
        await caller.value
    }

    // MARK: - Receiving

    /// It ended the process, and with it the links of all others.
    @Test("Memory that the system refuses is an error of that transfer")
    func refusedMemory() {
        let error = #expect(throws: TransferError.self) { try ReceiverArena(byteCount: 1 << 60) }
        guard case .cannotConnect(let sentence) = error?.problem else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(sentence.contains("refused 1152921504606846976 bytes of memory"))
    }

    @Test("With a block that is wrong, the writes of its session that are left are dropped")
    func droppedWrites() throws {
        let arena = try ReceiverArena()
        var state = ReceiveState(
            receiver: Receiver(options: ReceiverOptions(), memory: arena.memory)
        )
        let before = state.receiver.ticket
        let open = SenderControl.Open(
            session: SessionNumber(7),
            chunkSize: .smallest,
            manifestByteCount: 4_096,
            tag: TransferTag(rawValue: 1)
        )
        state.receiver.receive(.open(open), at: Instant(microseconds: 1))
        let ticket = state.receiver.ticket
        state.jobs = [
            ReceiveState.Job(task: .write(.image, block: 0), ticket: before, bytes: []),
            ReceiveState.Job(task: .release(discarding: false), ticket: ticket, bytes: []),
            ReceiveState.Job(task: .write(.image, block: 1), ticket: ticket, bytes: []),
            ReceiveState.Job(task: .write(.image, block: 2), ticket: ticket, bytes: []),
        ]
        state.dropWrites(for: ticket)
        #expect(
            state.jobs.map(\.task) == [
                .write(.image, block: 0), .release(discarding: false),
            ]
        )
    }

    /// They were queued without bound, and done after the peer had left and the receiver was told
    /// to stop.
    @Test("Sessions that come faster than the store is asked leave one look-up, of the last")
    func flood() throws {
        let arena = try ReceiverArena()
        var state = ReceiveState(
            receiver: Receiver(options: ReceiverOptions(), memory: arena.memory)
        )
        var time = Instant(microseconds: 1)
        for number in 1...1_000 as ClosedRange<UInt16> {
            let session = SessionNumber(number)
            let open = SenderControl.Open(
                session: session,
                chunkSize: .smallest,
                manifestByteCount: 4_096,
                tag: TransferTag(rawValue: UInt64(number))
            )
            state.receiver.receive(.open(open), at: time)
            state.drain(.link)
            if number.isMultiple(of: 3) {
                let close = SenderControl.Close(session: session, reason: .withdrawn)
                state.receiver.receive(.close(close), at: time)
                state.drain(.link)
            }
            #expect(state.jobs.count <= 4)
            time = time + .milliseconds(1)
        }
        let last = StorageTask.lookUp(TransferTag(rawValue: 1_000), manifestByteCount: 4_096)
        #expect(state.jobs.last?.task == last)
        #expect(state.jobs.last?.ticket == state.receiver.ticket)
        #expect(state.takeUntold().count <= 16)
        #expect(state.takeUntold().isEmpty)
    }

    // MARK: - Clock

    @Test("The time in which a process is stopped is not its time; that of a busy machine is")
    func clockWithGaps() {
        let time = Mutex(Duration.zero)
        let clock = MonotonicClock { _ in time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
        #expect(clock.now == Instant(microseconds: 0))
        for _ in 0..<3 { pass(.seconds(1)); _ = clock.now }
        #expect(clock.now == Instant(microseconds: 3_000_000))
        pass(.seconds(3))
        #expect(clock.now == Instant(microseconds: 6_000_000))
        pass(.seconds(600))
        #expect(clock.now == Instant(microseconds: 6_000_000))
        pass(.milliseconds(1))
        #expect(clock.now == Instant(microseconds: 6_001_000))
    }

    // MARK: - DeadlineTimer

    private func alarm() -> (MonotonicClock, DeadlineTimer, rings: @Sendable () async -> Instant) {
        let clock = MonotonicClock()
        let alarm = DeadlineTimer(clock: clock)
        let bell = Bell()
        alarm.onFire { bell.ring(at: clock.now) }
        return (clock, alarm, { await bell.next() })
    }

    @Test("An alarm rings when it is due, not before")
    func alarmRings() async {
        let (clock, alarm, ring) = alarm()
        let deadline = clock.now + .milliseconds(20)
        alarm.arm(at: deadline)
        #expect(await ring() >= deadline)
    }

    @Test("An alarm that is moved later rings later, and one that is moved earlier earlier")
    func alarmMoves() async {
        let (clock, alarm, ring) = alarm()
        alarm.arm(at: clock.now + .milliseconds(10))
        let later = clock.now + .milliseconds(60)
        alarm.arm(at: later)
        #expect(await ring() >= later)

        alarm.arm(at: clock.now + .seconds(50))
        let earlier = clock.now + .milliseconds(10)
        alarm.arm(at: earlier)
        let moment = await ring()
        #expect(moment >= earlier)
        #expect(moment < earlier + .seconds(40))
    }

    @Test("A deadline in the past rings at once, and each deadline once")
    func alarmPast() async {
        let (clock, alarm, ring) = alarm()
        for _ in 0..<100 {
            alarm.arm(at: clock.now + .seconds(-1))
            _ = await ring()
        }
    }

    @Test("An alarm without a deadline, or that was stopped, does not ring")
    func alarmStops() async {
        let clock = MonotonicClock()
        let rings = Atomic(0)
        let alarms = (0..<2).map { _ in DeadlineTimer(clock: clock) }
        for alarm in alarms {
            alarm.onFire { rings.add(1, ordering: .relaxed) }
            alarm.arm(at: clock.now + .milliseconds(20))
        }
        alarms[0].arm(at: nil)
        alarms[1].stop()
        // A third one that is due later shows that the time has passed.
        let (_, witness, ring) = alarm()
        witness.arm(at: Instant(microseconds: 60_000))
        _ = await ring()
        #expect(rings.load(ordering: .relaxed) == 0)
    }

    // MARK: - Progress

    @Test("Progress is reported at first, then when it changes, ten times a second at most")
    func meterPace() {
        var meter = ProgressMeter(totalByteCount: 1_000_000)
        func take(_ byteCount: Int, at milliseconds: Int64) -> BLEOTA.TransferProgress? {
            meter.take(
                durableByteCount: byteCount,
                dataFramesSent: 2,
                dataFramesResent: 1,
                at: Instant(microseconds: milliseconds * 1_000)
            )
        }
        #expect(take(0, at: 1_000)?.bytesPerSecond == 0)
        #expect(take(0, at: 5_000) == nil)
        let second = take(50_000, at: 5_001)
        #expect(second?.durableByteCount == 50_000)
        #expect(second?.totalByteCount == 1_000_000)
        #expect(second?.dataFramesSent == 2)
        #expect(second?.dataFramesResent == 1)
        #expect(take(60_000, at: 5_100) == nil)
        #expect(take(60_000, at: 5_101)?.durableByteCount == 60_000)
        // The end is always told.
        #expect(take(1_000_000, at: 5_102)?.secondsLeft == 0)
    }

    @Test("The rate follows the last seconds, and gives the time left")
    func meterRate() {
        var meter = ProgressMeter(totalByteCount: 10_000_000)
        var last: BLEOTA.TransferProgress?
        for second in 0...100 {
            // 10,000 bytes a second, and from the 50th on 50,000.
            let byteCount = second * 10_000 + max(second - 50, 0) * 40_000
            last =
                meter.take(
                    durableByteCount: byteCount,
                    dataFramesSent: 0,
                    dataFramesResent: 0,
                    at: Instant(microseconds: Int64(second) * 1_000_000)
                ) ?? last
            if second == 50 { #expect(abs(last!.bytesPerSecond - 10_000) < 1) }
        }
        #expect(abs(last!.bytesPerSecond - 50_000) < 1)
        #expect(abs(last!.secondsLeft! - 7_000_000 / 50_000) < 1)
    }

    @Test("Without a rate there is no time left to tell")
    func noRate() {
        var meter = ProgressMeter(totalByteCount: 10)
        let progress = meter.take(
            durableByteCount: 5,
            dataFramesSent: 0,
            dataFramesResent: 0,
            at: Instant(microseconds: 0)
        )
        #expect(progress?.secondsLeft == nil)
    }

    // MARK: - Sentences

    @Test("Every error is a sentence that ends with a full stop, and known reasons are all worded")
    func sentences() {
        let codes: [TransferError.Problem] =
            [
                .linkLost(.remote), .silent, .stalled, .protocolViolated,
                .peerNotUnderstood("It is odd."), .wrongReceipt, .noSuchObject, .cancelled,
            ] + (0x0000...0x0801).map { .refused(Reason(rawValue: $0), detail: 0x0101) }
        for code in codes {
            let sentence = TransferError(code).description
            #expect(sentence.hasSuffix("."), "\(sentence)")
            #expect(sentence.first?.isUppercase == true, "\(sentence)")
        }
    }
}

/// Notes when it is rung, for one who waits for that.
private final class Bell: Sendable {
    private let moments = Mutex<[Instant]>([])
    private let wakeup = AsyncSignal()

    func ring(at moment: Instant) {
        moments.withLock { $0.append(moment) }
        wakeup.call()
    }

    /// When it was rung, once for each time.
    func next() async -> Instant {
        while true {
            let first = moments.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let first { return first }
            await wakeup.wait()
        }
    }
}
