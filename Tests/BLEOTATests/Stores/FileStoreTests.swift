import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

@Suite("A file store")
struct FileStoreTests {
    private let directory = TemporaryDirectory()
    private var output: FilePath { directory.path / "output" }
    private var names: Set<String> { Set(FileTree(at: directory.path).nodes.keys) }

    @Test("leaves the file and nothing else")
    func alone() async throws {
        let transfer = TestTransfer(seed: 500)
        let test = try StoreUnderTest(.file, in: directory.path)
        #expect(names == [".output.bleota", ".output.bleota/lock"])
        try await transfer.run(on: test.store)
        #expect(names == ["output"])
        #expect(readFile(output) == transfer.image)
    }

    @Test("leaves nothing when nothing came, and what came when something did")
    func nothing() async throws {
        let transfer = TestTransfer(seed: 501)
        let test = try StoreUnderTest(.file, in: directory.path)
        await test.close()
        #expect(names.isEmpty)

        try await test.reopen()
        _ = try await transfer.open(on: test.store)
        await test.close()
        #expect(names.contains(".output.bleota/\(transfer.tag.hex)/manifest.part"))
    }

    @Test("gives up other transfers of the file when one is published")
    func others() async throws {
        let first = TestTransfer(seed: 502)
        let second = TestTransfer(seed: 503)
        let test = try StoreUnderTest(.file, in: directory.path)
        _ = try await first.open(on: test.store)
        await test.store.release()
        try await second.run(on: test.store)
        #expect(names == ["output"])
    }

    @Test("asks for nothing of an image that the file already is")
    func already() async throws {
        let transfer = TestTransfer(seed: 504)
        writeFile(output, transfer.image)
        let test = try StoreUnderTest(.file, in: directory.path)
        let asked = try await transfer.run(on: test.store)
        #expect(asked.manifest == [0, 1])
        #expect(asked.image.isEmpty)
        #expect(names == ["output"])

        // It is not believed a second time if it changed since.
        writeFile(output, transfer.image.map { $0 ^ 1 })
        #expect(try await transfer.run(on: test.store).image == Set(0..<6))
        #expect(readFile(output) == transfer.image)
    }

    @Test("keeps a file that is another, if it is told to, and takes the very image")
    func kept() async throws {
        let transfer = TestTransfer(seed: 506)
        writeFile(output, [1, 2, 3])
        var store = try FileStore(output: output, existingOutput: .kept)
        await expect(.cannotCreate(errno: 17)) { try await transfer.run(on: store) }
        #expect(readFile(output) == [1, 2, 3])
        writeFile(output, transfer.image)
        #expect(try await transfer.run(on: store).image.isEmpty)
        writeFile(output, [])
        store = try FileStore(output: output, existingOutput: .kept)
        #expect(try await transfer.run(on: store).image == Set(0..<6))
        #expect(readFile(output) == transfer.image)
    }

    @Test("asks for all of an image that the file already is, if it is not to look")
    func unseen() async throws {
        let transfer = TestTransfer(seed: 507)
        writeFile(output, transfer.image)
        let store = try FileStore(output: output, existingOutput: .replacedUnseen)
        #expect(try await transfer.run(on: store).image == Set(0..<6))
        #expect(readFile(output) == transfer.image)
    }

    @Test("replaces a link, not what it leads to")
    func link() async throws {
        let transfer = TestTransfer(seed: 505)
        let target = directory.path / "target"
        writeFile(target, [1, 2, 3])
        symlink(target.string, output.string)
        let test = try StoreUnderTest(.file, in: directory.path)
        try await transfer.run(on: test.store)
        #expect(readFile(target) == [1, 2, 3])
        #expect(readFile(output) == transfer.image)
    }

    @Test("is held by one process or store at a time, and another file is free")
    func locked() async throws {
        let test = try StoreUnderTest(.file, in: directory.path)
        await expect(.busy) { _ = try FileStore(output: output) }
        _ = try FileStore(output: directory.path / "other")
        await test.close()
        _ = try FileStore(output: output)
    }

    @Test("leaves the next transfer to another process, once its own image is published")
    func next() async throws {
        let first = TestTransfer(seed: 506)
        let second = TestTransfer(seed: 507)
        let test = try StoreUnderTest(.file, in: directory.path)
        try await first.run(on: test.store)

        let other = try FileStore(output: output)
        _ = try await second.open(on: other)
        guard case .current = try await first.open(on: test.store) else {
            Issue.record("the published image is not known")
            return
        }
        #expect(names.contains(".output.bleota/\(second.tag.hex)/manifest.part"))
        await expect(.busy) { _ = try await second.open(on: test.store) }
        await other.release()
        try await second.run(on: other)
        #expect(readFile(output) == second.image)
    }

    @Test("says at once that the file can't be made")
    func cannotCreate() async throws {
        await expect(.cannotCreate(errno: 21)) { _ = try FileStore(output: directory.path) }
        await expect(.cannotCreate(errno: 21)) { _ = try FileStore(output: "/") }
        await expect(.cannotCreate(errno: 21)) { _ = try FileStore(output: "..") }
        await expect(.cannotCreate(errno: 17)) { _ = try FileStore(output: "/dev/null") }
        let missing = directory.path / "missing/file"
        await expect(.cannotCreate(errno: 2)) { _ = try FileStore(output: missing) }
        writeFile(directory.path / "file", [1])
        let inFile = directory.path / "file/file"
        await expect(.cannotCreate(errno: 20)) { _ = try FileStore(output: inFile) }
        let long = directory.path / String(repeating: "n", count: 250)
        await expect(.cannotCreate(errno: 36)) { _ = try FileStore(output: long) }
        #expect(names == ["file"])
    }
}
