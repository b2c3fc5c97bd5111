import BLEOTACore
import BLEOTATestSupport
import BLEOTAWire
import Synchronization
import SystemPackage
import Testing

@testable import BLEOTA

/// What a device says it runs, and who waits for it.
@Suite("What runs")
struct RunningTests {
    private static let ours = [UInt8](repeating: 7, count: 32)
    private static let old = [UInt8](repeating: 1, count: 32)

    // MARK: - The watch

    //= RUN-3
    @Test("From what ran before over a trial to a confirmation")
    func confirmed() {
        var watch = RunningWatch(tag: UInt64(receiptOf: Self.ours))
        for state: RunningState in [.confirmed, .onTrial] {
            #expect(watch.judge(RunningImage(state, sha256: Self.old)) == .waiting)
        }
        #expect(watch.judge(RunningImage(.installing, sha256: Self.old)) == .waiting)
        #expect(watch.judge(RunningImage(.installing, sha256: Self.ours)) == .waiting)
        #expect(watch.judge(RunningImage(.onTrial, sha256: Self.ours)) == .waiting)
        #expect(watch.judge(RunningImage(.installing, sha256: Self.ours)) == .waiting)
        #expect(watch.judge(RunningImage(.confirmed, sha256: Self.ours)) == .confirmed)
    }

    //= RUN-3
    @Test("Every state of STATUS with either tag, before and after the image ran")
    func everyAnswer() {
        for hasRun in [false, true] {
            for state in (0...4).compactMap(RunningState.init) {
                for isOurs in [false, true] {
                    var watch = RunningWatch(tag: UInt64(receiptOf: Self.ours))
                    if hasRun { _ = watch.judge(RunningImage(.onTrial, sha256: Self.ours)) }
                    let expected: RunningWatch.Verdict =
                        switch (state, isOurs) {
                        case (.unknown, _): .ended(.unknown)
                        case (.failed, _): .ended(.failed)
                        case (.installing, _), (.onTrial, true): .waiting
                        case (.confirmed, true): .confirmed
                        case (.confirmed, false), (.onTrial, false):
                            hasRun ? .ended(.reverted) : .waiting
                        }
                    let said = RunningImage(state, sha256: isOurs ? Self.ours : Self.old)
                    #expect(watch.judge(said) == expected, "\(state) \(isOurs) \(hasRun)")
                }
            }
        }
    }

    // MARK: - The record

    @Test("A record is what was written last, also for another process")
    func record() throws {
        let directory = TemporaryDirectory()
        _ = try DirectoryStore(directory: directory.path)
        let record = RunningRecord(directory: directory.path)
        #expect(record.read() == .unknown)
        for (state, sha256): (RunningState, [UInt8]) in [
            (.onTrial, Self.ours), (.confirmed, Self.ours), (.confirmed, Self.old),
        ] {
            try record.write(state, sha256: sha256)
            let read = RunningRecord(directory: directory.path).read()
            #expect(read == RunningImage(state, sha256: sha256))
        }
    }

    @Test(
        "What is no record is not known",
        arguments: [
            "x", "running", "00.confirmed", ".confirmed",
            String(repeating: "zz", count: 32) + ".confirmed",
            String(repeating: "+f", count: 32) + ".confirmed",
            String(repeating: "00", count: 32) + ".failed",
        ]
    )
    func malformed(target: String) throws {
        let directory = TemporaryDirectory()
        try Disk().replaceLink(directory.path / "running", target: FilePath(target))
        #expect(RunningRecord(directory: directory.path).read() == .unknown)
    }

    @Test("A power cut at any step leaves the record before or the one after")
    func powerCut() throws {
        let directory = TemporaryDirectory(isInMemory: true)
        _ = try DirectoryStore(directory: directory.path)
        try RunningRecord(directory: directory.path).write(.confirmed, sha256: Self.old)
        let recorder = DiskRecorder(root: directory.path, progress: TransferProgress())
        let disk = Disk(willMake: recorder.hook)
        try RunningRecord(directory: directory.path, on: disk).write(.onTrial, sha256: Self.ours)
        let allowed = [
            RunningImage(.confirmed, sha256: Self.old), RunningImage(.onTrial, sha256: Self.ours),
        ]
        #expect(recorder.moments.count > 2)
        for moment in recorder.moments {
            for names in DiskModel.Names.allCases {
                let place = TemporaryDirectory(isInMemory: true)
                moment.disk.afterPowerCut(names, .onlySynchronized, seed: 0).write(to: place.path)
                let read = RunningRecord(directory: place.path).read()
                // Once it has returned, it is the one after.
                let isDone = moment.step == nil
                #expect(read == allowed[1] || !isDone && read == allowed[0], "\(read)")
            }
        }
    }

    @Test("A directory that is no store gets no record, and keeps what it has")
    func noStore() async throws {
        let directory = TemporaryDirectory()
        let record = RunningRecord(directory: directory.path)
        for name in [nil, "letter"] {
            if let name { writeFile(directory.path / name, [1]) }
            let before = FileTree(at: directory.path)
            await expect(.cannotCreate(errno: name == nil ? 2 : 17)) {
                try record.write(.confirmed, sha256: Self.ours)
            }
            #expect(FileTree(at: directory.path) == before)
        }
    }

    @Test("A store knows the images that it has, and what was said to run")
    func known() async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(.directory, in: directory.path)
        let transfer = TestTransfer(seed: 800)
        try await transfer.run(on: test.store)
        let record = RunningRecord(directory: test.place / "store")
        #expect(try record.knows(transfer.manifest.sha256))
        #expect(try !record.knows(Self.ours))
        try record.write(.confirmed, sha256: Self.ours)
        #expect(try record.knows(Self.ours))
    }

    // MARK: - Over a link

    //= RUN-1
    @Test("A device is asked in the middle of a transfer, and the transfer goes on")
    func askedMeanwhile() async throws {
        let image = RandomImage(seed: 4, byteCount: 200_000)
        let (near, far) = loopback()
        var policy = AcceptancePolicy()
        let said = RunningImage(.onTrial, sha256: Self.ours)
        policy.running = { said }
        let store = MemoryStore()
        let link = AskingTransport(near, asking: .query(.init(session: SessionNumber(0x7777))))
        _ = try await pushing(
            image.prepared,
            over: (link, far),
            into: store,
            policy: policy
        )
        #expect(await store.currentBytes == image.bytes)
        #expect(link.answers.count > 3)
        #expect(link.answers.allSatisfy { $0 == .status(said.status) })
    }

    //= RUN-3
    @Test("Who waits is told when the device runs it, over a link that is lost meanwhile")
    func awaited() async throws {
        let device = ScriptedDevice(
            [
                .say(.confirmed, Self.old), .say(.installing, Self.old), .hangUp,
                .say(.onTrial, Self.ours), .say(.confirmed, Self.ours),
            ]
        )
        let heard = Mutex<[RunningState]>([])
        try await awaitRunning(Self.ours, through: device, limit: .seconds(60)) { running in
            heard.withLock { $0.append(running.state) }
        }
        #expect(heard.withLock { $0 } == [.confirmed, .installing, .onTrial, .confirmed])
    }

    //= RUN-3
    @Test("Each way not to run has its own error")
    func notRunning() async throws {
        for (steps, expected): ([ScriptedDevice.Step], NotRunning) in [
            ([.say(.unknown, Self.old)], .unknown),
            ([.say(.installing, Self.old), .say(.failed, Self.old)], .failed),
            ([.say(.onTrial, Self.ours), .say(.confirmed, Self.old)], .reverted),
            ([.say(.confirmed, Self.old)], .notInTime),
        ] {
            let error = await transferError { () throws(TransferError) in
                try await awaitRunning(
                    Self.ours,
                    through: ScriptedDevice(steps),
                    limit: .seconds(2)
                )
            }
            #expect(error?.problem == .notRunning(expected))
            #expect(error?.isRetryable == (expected == .notInTime))
        }
    }

    //= RUN-3
    @Test("A device that never answers was made before there was such a question")
    func silent() async throws {
        let device = ScriptedDevice([.ignore])
        let error = await transferError { () throws(TransferError) in
            try await awaitRunning(
                Self.ours,
                through: device,
                limit: .seconds(60),
                pause: .milliseconds(20),
                onChange: { _ in }
            )
        }
        #expect(error?.problem == .notRunning(.unknown))
    }

    /// The question was sent, and nothing bounded how long the peer's stack might take it.
    @Test("Who waits is told in time, also where the device does not even take the question")
    func asleep() async throws {
        let device = ScriptedDevice([.sleep])
        let error = await transferError { () throws(TransferError) in
            try await awaitRunning(Self.ours, through: device, limit: .milliseconds(200))
        }
        #expect(error?.problem == .notRunning(.notInTime))
    }
}
