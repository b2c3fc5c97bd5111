import BLEOTAWire
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// What a store takes for its own, and what it leaves alone.
@Suite("A store's own")
struct StoreFormTests {
    private let directory = TemporaryDirectory()
    private var root: FilePath { directory.path / "store" }

    private static let tag = "0123456789abcdef"

    /// Directories of somebody else, some of which look like a store.
    private static let folders: [[String: FileTree.Node]] = [
        ["letter": .file([1])],
        ["images": .directory, "images/holiday": .directory, "images/holiday/beach": .file([1])],
        ["incoming": .directory, "incoming/mail": .file([1])],
        ["incoming": .directory, "incoming/\(tag)": .directory, "incoming/\(tag)/a": .file([1])],
        ["images": .directory, "images/\(tag)": .directory, "images/\(tag)/image": .directory],
        ["images": .directory, "images/\(tag)": .file([1])],
        ["current": .file([1])], ["previous": .directory], ["counter.new": .file([1])],
        ["current": .link("letter")], ["counter": .link("many")], ["running": .link("away")],
        ["lock": .file([1])], ["lock": .link("letter")], ["lost+found": .file([1])],
        ["images": .link("../victim")], ["incoming": .link("../victim")],
    ]

    @Test("ends where something else is in the directory, which is not touched", arguments: folders)
    func foreign(nodes: [String: FileTree.Node]) async throws {
        mkdir(root.string, 0o755)
        mkdir((directory.path / "victim").string, 0o755)
        writeFile(directory.path / "victim/precious", [7])
        var tree = FileTree()
        tree.nodes = nodes
        tree.write(to: root)
        let before = FileTree(at: directory.path)
        await expect(.cannotCreate(errno: 17)) { _ = try DirectoryStore(directory: root) }
        #expect(FileTree(at: directory.path) == before)
        #expect(mode("store") == 0o755)
    }

    /// They were replaced, or the error was that the image has a wrong hash.
    @Test(
        "is replaced, and not what somebody puts at its names while it is open",
        arguments: ["current", "current.new"]
    )
    func putMeanwhile(name: String) async throws {
        let store = try DirectoryStore(directory: root)
        writeFile(root / name, [7])
        await expect(.storeFailed(errno: 17)) { _ = try await TestTransfer(seed: 1).run(on: store) }
        #expect(readFile(root / name) == [7])
        await store.release()
        unlink((root / name).string)
        _ = try await TestTransfer(seed: 1).run(on: store)
        #expect(readFile(root / "current/image") == TestTransfer(seed: 1).image)
    }

    @Test("is made in a directory that is not there, that is empty, or a file system's own")
    func made() async throws {
        for name in ["absent", "empty", "mounted", "link"] {
            let place = directory.path / name
            if name == "empty" || name == "mounted" { mkdir(place.string, 0o755) }
            if name == "mounted" { mkdir("\(place.string)/lost+found", 0o700) }
            if name == "link" { symlink("empty", place.string) }
            _ = try DirectoryStore(directory: place)
            #expect(readFile(place / "bleota-store") == Array("bleota store, format 1\n".utf8))
            _ = try DirectoryStore(directory: place)
        }
    }

    @Test("ends at a store of a format that is not known")
    func newer() async throws {
        _ = try DirectoryStore(directory: root)
        writeFile(root / "bleota-store", Array("bleota store, format 2\n".utf8))
        let before = FileTree(at: root)
        await expect(.cannotCreate(errno: 17)) { _ = try DirectoryStore(directory: root) }
        #expect(FileTree(at: root) == before)
    }

    @Test("is what a release without markers left, and goes on from there")
    func adopted() async throws {
        mkdir(root.string, 0o755)
        StoreBeforeMarkers.tree.write(to: root)
        let store = try DirectoryStore(directory: root)
        #expect(readFile(root / "bleota-store") != nil)
        let current = try #require(try await store.current())
        #expect(current.manifest.tag.hex == StoreBeforeMarkers.currentTag)
        #expect(try await store.status().counter == 7)
        let record = RunningRecord(directory: root)
        #expect(record.read().state == .confirmed)
        #expect(InstallationRecord(directory: root).attemptCount(of: current.sha256) == 1)

        let bytes = try #require(
            readFile(root / "incoming/\(StoreBeforeMarkers.partialTag)/manifest")
        )
        let manifest = try Manifest(bytes: bytes)
        guard
            case .image(_, let held) = try await store.open(
                manifest.tag,
                manifestByteCount: bytes.count
            )
        else {
            Issue.record("the unfinished transfer is not held")
            return
        }
        #expect(held == [true, true] + Array(repeating: false, count: 6))
        await store.release()
    }

    @Test("stays the only thing that goes, whatever else is put into a store")
    func strangers() async throws {
        let test = try StoreUnderTest(.directory, in: directory.path)
        var strangers = FileTree()
        strangers.nodes = [
            "letter": .file([1]), "images/holiday": .directory,
            "images/holiday/beach": .file([2]), "images/note": .file([3]),
            "incoming/mail": .link("../letter"), "incoming/0123": .directory,
        ]
        strangers.write(to: root)
        for seed in 0..<6 {
            try await TestTransfer(seed: 830 + UInt64(seed), blockCount: 2).run(on: test.store)
        }
        try await test.reopen()
        let after = FileTree(at: root)
        for (name, node) in strangers.nodes { #expect(after.nodes[name] == node, "\(name)") }
        #expect(after.nodes.keys.count { StoreForm.isTag(.init(name($0))!) } == 2)
    }

    private func name(_ path: String) -> String { String(path.split(separator: "/").last!) }

    /// Names of the store, with something else under them, that no transfer could get by.
    @Test(
        "is of the right kind, which is seen when the store is opened",
        arguments: [
            "current", "previous", "counter", "running", "installing", "current.new", "images",
            "incoming", "images/\(tag)", "incoming/\(tag)", "images/TAG/image",
            "images/TAG/manifest", "images/TAG/journal", "lock", "bleota-store.new",
        ]
    )
    func wrongKind(path: String) async throws {
        let transfer = TestTransfer(seed: 840, blockCount: 2)
        let test = try StoreUnderTest(.directory, in: directory.path)
        try await transfer.run(on: test.store)
        await test.close()
        let place = root / path.replacing("TAG", with: transfer.tag.hex)
        for isLink in [false, true] {
            if Disk().kind(of: place) == .directory { FileTree.remove(place) }
            unlink(place.string)
            if isLink { symlink("../elsewhere", place.string) } else { mkfifo(place.string, 0o600) }
            let before = FileTree.names(at: root)
            await expect(.cannotCreate(errno: 17), "\(path)") {
                _ = try DirectoryStore(directory: root)
            }
            #expect(FileTree.names(at: root) == before)
        }
    }

    @Test(
        "is never reached by a link, also one that is put there while the store is in use",
        arguments: ["images", "incoming", "incoming/TAG", "images/OLD"]
    )
    func linkMeanwhile(path: String) async throws {
        let old = TestTransfer(seed: 850, blockCount: 2)
        let transfer = TestTransfer(seed: 851, blockCount: 2)
        let test = try StoreUnderTest(.directory, in: directory.path)
        try await old.run(on: test.store)
        _ = try await transfer.open(on: test.store)
        await test.store.release()
        let place =
            root
            / path.replacing("TAG", with: transfer.tag.hex)
            .replacing("OLD", with: old.tag.hex)
        // What lies behind the link has all the names of the store.
        let victim = directory.path / "victim"
        try Disk().rename(place, to: victim)
        symlink(victim.string, place.string)
        mkdir((victim / Self.tag).string, 0o700)
        for name in ["image", "manifest", "journal", "manifest.part", "\(Self.tag)/image"] {
            writeFile(victim / name, [7])
        }
        let before = FileTree(at: victim)
        for seed in 852..<858 as Range<UInt64> {
            _ = try? await TestTransfer(seed: seed, blockCount: 2).run(on: test.store)
            await test.store.release()
        }
        _ = try? await transfer.run(on: test.store)
        #expect(FileTree(at: victim) == before)
    }

    // MARK: - Modes

    @Test("can be read by this user alone")
    func modes() async throws {
        let test = try StoreUnderTest(.directory, in: directory.path)
        let transfer = TestTransfer(seed: 860, blockCount: 2)
        try await transfer.run(on: test.store)
        let other = TestTransfer(seed: 861, blockCount: 2)
        _ = try await other.open(on: test.store)
        try await other.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        await test.store.release()
        checkModes(fileCount: 7)
    }

    @Test("is closed to others when it is opened")
    func closed() async throws {
        mkdir(root.string, 0o777)
        StoreBeforeMarkers.tree.write(to: root)
        chmod(root.string, 0o777)
        #expect(mode("store/incoming") != 0o700)
        _ = try DirectoryStore(directory: root)
        checkModes(fileCount: 11)
    }

    private func checkModes(fileCount: Int) {
        var counted = 0
        for (name, node) in FileTree(at: directory.path).nodes {
            switch node {
            case .directory: #expect(mode(name) == 0o700, "\(name)")
            case .file:
                counted += 1
                #expect(mode(name) == 0o600, "\(name)")
            case .link: break
            }
        }
        #expect(counted == fileCount)
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        lstat("\(directory.path.string)/\(name)", &status)
        return status.st_mode & 0o777
    }
}

extension FileTree {
    /// The paths of what is in a directory, none of which is opened.
    static func names(at root: FilePath) -> Set<String> {
        var names: Set<String> = []
        let disk = Disk()
        for name in disk.names(in: root) {
            names.insert(name.string)
            guard disk.kind(of: root.appending(name)) == .directory else { continue }
            for inner in Self.names(at: root.appending(name)) {
                names.insert("\(name.string)/\(inner)")
            }
        }
        return names
    }
}
