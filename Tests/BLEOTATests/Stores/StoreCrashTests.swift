import BLEOTATestSupport
import SystemPackage
import Testing

@testable import BLEOTA

/// A process is killed, or the power is cut, before each step of a whole transfer that replaces an
/// older image; another process then opens what is left, finds the old image or the new one, and
/// finishes the transfer without asking for anything that was promised to last.
@Suite("After a crash at any step")
struct StoreCrashTests {
    private static let oldest = TestTransfer(seed: 99, blockCount: 2)
    private static let old = TestTransfer(seed: 100, blockCount: 3)
    private static let next = TestTransfer(seed: 98, blockCount: 1)

    /// A store, and how what replaces the image in it travels.
    enum Replaced: String, CaseIterable {
        case directory, file, directoryByEncoded, fileByEncoded

        fileprivate var kind: StoreKind {
            self == .directory || self == .directoryByEncoded ? .directory : .file
        }

        fileprivate var new: TestTransfer {
            switch self {
            case .directory, .file: StoreCrashTests.new
            case .directoryByEncoded, .fileByEncoded: StoreCrashTests.newEncoded
            }
        }
    }

    private static let new = TestTransfer(seed: 101)
    /// The same length decoded, and two blocks as it travels.
    private static let newEncoded = TestTransfer(
        deflating: new.image.map { $0 & 1 },
        blockByteCount: 256
    )

    /// Everything, nothing, and some choices of sectors, each of which is a coin toss.
    private static let contents: [(DiskModel.Contents, seed: UInt64)] =
        [(.onlySynchronized, 0), (.all, 0)]
        + (0..<TestScope.choose(2, full: 8)).map { (.someSectors, $0) }

    //= OBJ-6
    //= END-6
    @Test("a killed process lost no block", arguments: Replaced.allCases)
    func killed(_ replaced: Replaced) async throws {
        var seen: Set<Crash> = []
        for (index, moment) in try await moments(replaced).enumerated() {
            let crash = Crash(killedAt: moment)
            guard seen.insert(crash).inserted else { continue }
            try await check(replaced, crash, "killed before step \(index), \(moment.name)")
        }
    }

    //= OBJ-6
    //= END-6
    @Test(
        "a power cut leaves everything that was durable",
        arguments: Replaced.allCases,
        DiskModel.Names.allCases
    )
    func powerCut(_ replaced: Replaced, names: DiskModel.Names) async throws {
        var seen: Set<Crash> = []
        for (index, moment) in try await moments(replaced).enumerated() {
            for (contents, seed) in Self.contents {
                let crash = Crash(powerCutAt: moment, names, contents, seed: seed)
                guard seen.insert(crash).inserted else { continue }
                try await check(
                    replaced,
                    crash,
                    "power cut before step \(index), \(moment.name); \(names), \(contents) \(seed)"
                )
            }
        }
    }

    @Test("the model of the disk is what the disk is", arguments: Replaced.allCases)
    func model(_ replaced: Replaced) async throws {
        let (kind, new) = (replaced.kind, replaced.new)
        let directory = TemporaryDirectory(isInMemory: true)
        let progress = TransferProgress()
        let recorder = DiskRecorder(root: directory.path, progress: progress)
        let test = try StoreUnderTest(kind, in: directory.path, hook: recorder.hook)
        try await Self.old.run(on: test.store)
        #expect(recorder.disk.present == FileTree(at: directory.path))
        _ = try await new.open(on: test.store)
        try await new.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        #expect(recorder.disk.present == FileTree(at: directory.path))
        await test.store.release()
        try await new.run(on: test.store)
        #expect(recorder.disk.present == FileTree(at: directory.path))
    }

    @Test(
        "a second crash after the first changes nothing",
        arguments: Replaced.allCases
    )
    func twice(_ replaced: Replaced) async throws {
        var seen: Set<Crash> = []
        var seenFirst: Set<FileTree> = []
        let stride = TestScope.choose(3, full: 1)
        for (index, first) in try await moments(replaced).enumerated()
        where index.isMultiple(of: stride) && seenFirst.insert(first.disk.present).inserted {
            let directory = TemporaryDirectory(isInMemory: true)
            first.disk.present.write(to: directory.path)
            for second in try await moments(replaced, in: directory) {
                let crash = Crash(killedAt: second)
                guard seen.insert(crash).inserted else { continue }
                try await check(replaced, crash, "killed before \(first.name), then \(second.name)")
            }
        }
    }

    /// Replaces the old image by the new one and returns the states on the way.
    private func moments(_ replaced: Replaced) async throws -> [DiskRecorder.Moment] {
        let directory = TemporaryDirectory(isInMemory: true)
        try await Self.makeOldCurrent(replaced.kind, in: directory.path)
        return try await moments(replaced, in: directory)
    }

    private func moments(
        _ replaced: Replaced,
        in directory: TemporaryDirectory
    ) async throws -> [DiskRecorder.Moment] {
        let progress = TransferProgress()
        let recorder = DiskRecorder(root: directory.path, progress: progress)
        let test = try StoreUnderTest(replaced.kind, in: directory.path, hook: recorder.hook)
        try await replaced.new.run(on: test.store, progress)
        return recorder.moments
    }

    private static func makeOldCurrent(_ kind: StoreKind, in place: FilePath) async throws {
        let test = try StoreUnderTest(kind, in: place)
        try await oldest.run(on: test.store)
        try await old.run(on: test.store)
        try #require(await test.currentBytes() == old.image)
        await test.close()
    }

    /// Opens what a crash left, in another place, and finishes.
    private func check(
        _ replaced: Replaced,
        _ crash: Crash,
        _ comment: Comment
    ) async throws {
        let (kind, new) = (replaced.kind, replaced.new)
        let directory = TemporaryDirectory(isInMemory: true)
        crash.tree.write(to: directory.path)
        let test = try StoreUnderTest(kind, in: directory.path)

        // Compared before they are expected, so that a failure does not print whole images.
        let current = await test.currentBytes()
        let isNew = current == new.image
        let isOldAllowed = !crash.isPublished
        let isOld = current == Self.old.image
        #expect(isNew || (isOld && isOldAllowed), comment)

        let asked = try await new.run(on: test.store)
        #expect(asked.image.isDisjoint(with: crash.lastingImage), comment)
        // A file that is finished has no manifest beside it; without one it can't be known again.
        if !(kind == .file && isNew) {
            #expect(asked.manifest.isDisjoint(with: crash.lastingManifest), comment)
        }
        let isFinished = await test.currentBytes() == new.image
        #expect(isFinished, comment)
        // What was current before the old image stays until the next one is, if the crash came
        // between the new image and its removal.
        if current == new.image, kind == .directory {
            try await Self.next.run(on: test.store)
            #expect(leftOver([new, Self.next], directory.path) == [], comment)
        } else {
            let images = kind == .directory ? [Self.old, new] : []
            #expect(leftOver(images, directory.path) == [], comment)
        }
    }

    /// What lies about when a transfer is finished and should not.
    ///
    /// - Parameter images: of a directory's store; a file's has none.
    private func leftOver(_ images: [TestTransfer], _ place: FilePath) -> [String] {
        let places = images.map { "store/images/\($0.tag.hex)" }
        let expected: Set<String> =
            images.isEmpty
            ? ["output"]
            : Set(
                ["store", "store/lock", "store/incoming", "store/images", "store/current"]
                    + ["store/previous", "store/bleota-store"] + places
                    + places.map { $0 + "/image" } + places.map { $0 + "/manifest" }
            )
        return FileTree(at: place).nodes.keys.filter { !expected.contains($0) }
    }
}

/// What a crash left, and what of it must have lasted.
private struct Crash: Hashable {
    let tree: FileTree
    let lastingManifest: Set<Int>
    let lastingImage: Set<Int>
    let isPublished: Bool

    init(killedAt moment: DiskRecorder.Moment) {
        tree = moment.disk.present
        lastingManifest = moment.promise.writtenManifest
        lastingImage = moment.promise.writtenImage
        isPublished = moment.promise.isPublished
    }

    init(
        powerCutAt moment: DiskRecorder.Moment,
        _ names: DiskModel.Names,
        _ contents: DiskModel.Contents,
        seed: UInt64
    ) {
        tree = moment.disk.afterPowerCut(names, contents, seed: seed)
        lastingManifest = moment.promise.durableManifest
        lastingImage = moment.promise.durableImage
        isPublished = moment.promise.isPublished
    }
}

extension DiskRecorder.Moment {
    fileprivate var name: String { step.map { "\($0)" } ?? "the end" }
}
