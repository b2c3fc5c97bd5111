import BLEOTATestSupport
import BLEOTAWire
import SystemPackage
import Testing

@testable import BLEOTA

/// Each step of a whole transfer fails once, as a full or a broken disk makes it fail: the store
/// says so, loses nothing, and goes on when it is asked again.
@Suite("When any step fails")
struct StoreFailureTests {
    private static let old = TestTransfer(seed: 200, blockCount: 3)
    private static let new = TestTransfer(seed: 201)

    enum Next: CaseIterable { case sameStore, anotherProcess }

    //= END-6
    @Test(
        "the store says so, and goes on afterwards",
        arguments: [StoreKind.directory, .file],
        Next.allCases
    )
    func eachStep(kind: StoreKind, next: Next) async throws {
        // In make test each step fails in one way, in make check in both.
        let stride = TestScope.choose(2, full: 1)
        for (first, errno) in [Errno.noSpace, .ioError].enumerated() {
            var stepIndex = first
            while try await failingStepIsReached(kind, stepIndex, errno, next) {
                stepIndex += stride
            }
            #expect(stepIndex > 30)
        }
    }

    /// Runs a transfer in which one step fails, then once more.
    ///
    /// - Returns: whether the transfer has so many steps.
    private func failingStepIsReached(
        _ kind: StoreKind,
        _ stepIndex: Int,
        _ errno: Errno,
        _ next: Next
    ) async throws -> Bool {
        let comment: Comment = "step \(stepIndex) fails with \(errno)"
        let directory = TemporaryDirectory(isInMemory: true)
        let first = try StoreUnderTest(kind, in: directory.path)
        try await Self.old.run(on: first.store)
        await first.close()
        let test: StoreUnderTest
        let progress = TransferProgress()
        let recorder = DiskRecorder(root: directory.path, progress: progress)
        recorder.fail(step: stepIndex, with: errno)
        do throws(StoreError) {
            test = try StoreUnderTest(kind, in: directory.path, hook: recorder.hook)
        } catch {
            // Opening the store failed. A place that can't be made is not a transfer that failed.
            check(error, errno, isOpening: true, comment)
            test = try StoreUnderTest(kind, in: directory.path, hook: recorder.hook)
        }
        do throws(StoreError) {
            try await Self.new.run(on: test.store, progress)
        } catch {
            check(error, errno, isOpening: false, comment)
        }
        let current = await test.currentBytes()
        #expect(current == Self.old.image || current == Self.new.image, comment)
        if progress.promise.isPublished { #expect(current == Self.new.image, comment) }

        let isReached = recorder.stepCount > stepIndex
        recorder.failNoMore()
        switch next {
        case .sameStore: await test.store.release()
        case .anotherProcess: try await test.reopen()
        }
        let asked = try await Self.new.run(on: test.store)
        #expect(asked.image.isDisjoint(with: progress.promise.durableImage), comment)
        // A file that is finished has no manifest beside it; without one it can't be known again.
        if !(kind == .file && current == Self.new.image) {
            #expect(asked.manifest.isDisjoint(with: progress.promise.durableManifest), comment)
        }
        #expect(await test.currentBytes() == Self.new.image, comment)
        return isReached
    }

    private func check(
        _ error: StoreError,
        _ errno: Errno,
        isOpening: Bool,
        _ comment: Comment
    ) {
        switch error.code {
        case .noSpace(let bytesFree):
            #expect(errno == .noSpace, comment)
            #expect(bytesFree > 0, comment)
        case .storeFailed(let number): #expect(number == errno.rawValue && !isOpening, comment)
        case .cannotCreate(let number): #expect(number == errno.rawValue && isOpening, comment)
        default: Issue.record(error, comment)
        }
        #expect(error.message.contains(";"), "a remedy in: \(error)")
    }

    @Test("a synchronisation that failed does not count, however often it is repeated")
    func failedSynchronization() async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let test = try StoreUnderTest(.directory, in: directory.path) { (step) throws(Errno) in
            if case .synchronize(let path) = step, path.lastComponent == "image",
                readFile(path)?.contains(where: { $0 != 0 }) == true
            {
                throw .ioError
            }
        }
        _ = try await Self.new.open(on: test.store)
        try await Self.new.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        let block = Self.new.imageBlocks[0]
        try await test.store.write(block, object: .image, blockIndex: 0)
        for _ in 0..<3 {
            await expect(.storeFailed(errno: 5)) { try await test.store.synchronize() }
        }
        await expect(.storeFailed(errno: 5)) {
            try await test.store.write(block, object: .image, blockIndex: 1)
        }
        await expect(.storeFailed(errno: 5)) { _ = try await test.store.publish() }
    }
}
