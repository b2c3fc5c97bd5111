import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// In a directory that all may write, another user can make something under a store's names first.
@Suite(
    "A store that belongs to another user",
    .enabled(if: geteuid() == 0, "giving a file away needs root")
)
struct StoreOwnerTests {
    private let directory = TemporaryDirectory()
    private static let kinds = [StoreKind.directory, .file]
    private static let notPermitted = StoreError.Code.cannotCreate(errno: 1)
    private static let transfer = TestTransfer(seed: 400)

    @Test("is not used, and not touched", arguments: kinds)
    func empty(kind: StoreKind) async throws {
        mkdir(place(of: kind).string, 0o777)
        chmod(place(of: kind).string, 0o777)
        giveAway(place(of: kind))
        let before = FileTree(at: directory.path)
        await expect(Self.notPermitted) { _ = try StoreUnderTest(kind, in: directory.path) }
        #expect(FileTree(at: directory.path) == before)
        #expect(status(of: place(of: kind)).st_mode & 0o777 == 0o777)
    }

    /// A whole store, or a transfer that only waits to be published.
    @Test("is not used with what lies in it", arguments: kinds)
    func full(kind: StoreKind) async throws {
        let test = try StoreUnderTest(kind, in: directory.path)
        try await Self.transfer.begin(blockCount: 2, on: test.store)
        await test.close()
        for path in FileTree(at: place(of: kind)).nodes.keys {
            giveAway(place(of: kind).appending(path))
            await expect(Self.notPermitted) { try await test.reopen() }
            takeBack(place(of: kind).appending(path))
        }
        giveAway(place(of: kind))
        await expect(Self.notPermitted) { try await test.reopen() }
        takeBack(place(of: kind))
        try await test.reopen()
        #expect(try await Self.transfer.run(on: test.store).image == [2, 3, 4, 5])
    }

    private func place(of kind: StoreKind) -> FilePath {
        directory.path / (kind == .directory ? "store" : ".output.bleota")
    }

    private func giveAway(_ path: FilePath) { #expect(lchown(path.string, 12_345, 12_345) == 0) }

    private func takeBack(_ path: FilePath) { #expect(lchown(path.string, 0, 0) == 0) }

    private func status(of path: FilePath) -> stat {
        var status = stat()
        lstat(path.string, &status)
        return status
    }
}
