import BLEOTACore
import BLEOTAManifest
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// Which unfinished transfers give way to others.
@Suite("Unfinished transfers")
struct ShelfTests {
    private let directory = TemporaryDirectory()

    private static let stores = [StoreKind.memory, .directory, .file]

    // MARK: - The rule

    private static let hour = 3_600 * 1_000_000_000

    /// - Parameter shelf: whether each is trusted, its durable bytes, and its age in hours.
    private func givenUp(
        _ shelf: [(Bool, Int, Int)],
        forTrusted isTrusted: Bool
    ) -> [Int] {
        let now = 1_000_000 * Self.hour
        return RetentionRule.givenUp(
            shelf.enumerated().map { index, entry in
                .init(
                    id: index,
                    isTrusted: entry.0,
                    durableByteCount: entry.1,
                    usedAt: now - entry.2 * Self.hour
                )
            },
            forTrusted: isTrusted,
            now: now
        )
    }

    @Test("go where there are more than four, those first of which least is there")
    func rule() {
        let three = [(false, 5, 1), (false, 9, 1), (false, 7, 1)]
        #expect(givenUp(three, forTrusted: false) == [])
        #expect(givenUp(three + [(false, 6, 9)], forTrusted: false) == [0])
        #expect(givenUp(three + [(false, 5, 2)], forTrusted: false) == [3])
        #expect(givenUp(three + [(true, 1, 9)], forTrusted: false) == [0])
        #expect(givenUp(three + [(true, 1, 9)], forTrusted: true) == [0])
        #expect(givenUp(three + [(false, 1, 9), (false, 2, 9)], forTrusted: true) == [3, 4])
    }

    @Test("that somebody signed go only for such")
    func trusted() {
        let four = [(true, 5, 1), (true, 9, 1), (true, 7, 1), (true, 8, 1)]
        #expect(givenUp(four, forTrusted: false) == [])
        #expect(givenUp(four + [(false, 99, 1)], forTrusted: false) == [4])
        #expect(givenUp(four, forTrusted: true) == [0])
        #expect(givenUp([(true, 5, 999)], forTrusted: false) == [])
    }

    @Test("go after a week, when another is accepted; what is from the future does not")
    func age() {
        #expect(givenUp([(false, 5, 7 * 24 + 1), (true, 5, 7 * 24)], forTrusted: true) == [0])
        #expect(givenUp([(false, 5, 999), (true, 5, 999)], forTrusted: true) == [0, 1])
        #expect(givenUp([(false, 5, -999)], forTrusted: true) == [])
        #expect(
            givenUp(
                [(false, 1, 1), (false, 2, 1), (false, 3, 1), (true, 9, 999)],
                forTrusted: true
            ) == [3]
        )
    }

    // MARK: - In a store

    @Test("that were accepted stay, however many others are only announced", arguments: stores)
    func announced(kind: StoreKind) async throws {
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 900)
        try await transfer.begin(blockCount: 5, on: test.store)
        for seed in 0..<9 as Range<UInt64> {
            let other = TestTransfer(seed: 910 + seed)
            guard case .manifest(0) = try await other.open(on: test.store) else {
                Issue.record("something is held of a transfer that never began")
                return
            }
            // Half of them bring a part of their manifest, or all of one that is refused.
            if seed % 3 == 1 {
                try await test.store.write(
                    other.manifestBlocks[0],
                    object: .manifest,
                    blockIndex: 0
                )
                try await test.store.synchronize()
            }
            if seed % 3 == 2 {
                try await other.sendManifest(to: test.store)
                await expect(.refused(ManifestRefusal(.unsigned))) {
                    _ = try await test.store.acceptManifest(
                        unless: { _ in ManifestRefusal(.unsigned) },
                        preferring: { _ in false }
                    )
                }
                await test.store.discard()
            }
            await test.store.release()
        }
        if kind == .directory {
            let announced = FileTree(at: test.place).nodes.keys.count { $0.hasSuffix(".part") }
            #expect(announced <= 2)
        }
        #expect(try await transfer.run(on: test.store).image == [5])
    }

    @Test("that a trusted key signed stay, whatever others bring", arguments: stores)
    func signed(kind: StoreKind) async throws {
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 920)
        let isTrusted: @Sendable (Manifest) -> Bool = { $0.tag == transfer.tag }
        try await transfer.begin(blockCount: 1, on: test.store, preferring: isTrusted)
        for seed in 0..<6 as Range<UInt64> {
            let other = TestTransfer(seed: 930 + seed)
            try await other.begin(blockCount: 5, on: test.store, preferring: isTrusted)
        }
        #expect(try await transfer.run(on: test.store).image == Set(1..<6))
    }

    @Test("of which more is there stay longer", arguments: stores)
    func most(kind: StoreKind) async throws {
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 940)
        try await transfer.begin(blockCount: 5, on: test.store)
        for seed in 0..<9 as Range<UInt64> {
            try await TestTransfer(seed: 950 + seed).begin(blockCount: 4, on: test.store)
        }
        #expect(try await transfer.run(on: test.store).image == [5])
    }

    /// An image was verified and moved, and then the power was cut before it was linked: who only
    /// announces something does not make it go.
    @Test("that are verified and not yet current stay as well")
    func verified() async throws {
        let test = try StoreUnderTest(.directory, in: directory.path) { (step) throws(Errno) in
            if case .makeLink(let path, _) = step, path.lastComponent == "current.new" {
                throw .ioError
            }
        }
        let transfer = TestTransfer(seed: 960)
        await expect(.storeFailed(errno: 5)) { try await transfer.run(on: test.store) }
        try await test.reopen()
        for seed in 0..<9 as Range<UInt64> {
            _ = try await TestTransfer(seed: 970 + seed).open(on: test.store)
            await test.store.release()
        }
        #expect(try await transfer.run(on: test.store).image == [])
        #expect(await test.currentBytes() == transfer.image)
    }
}
