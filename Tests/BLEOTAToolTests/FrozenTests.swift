import BLEOTATestSupport
import Foundation
import Testing

/// The versions of which there is frozen data.
private enum Frozen {
    static let folder = "Tests/Frozen"
    static let versions: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: Repository.path(of: folder)
        )
        return (names ?? []).filter { !$0.hasSuffix(".md") }.sorted()
    }()
}

/// What earlier versions left on disk, in Tests/Frozen, read by this one. `scripts/freeze.sh` has
/// made it, once for each version.
@Suite("Frozen data", .timeLimit(.minutes(2)))
struct FrozenTests {
    private let place = ToolDirectory()

    /// Copies the data of a version to the directory of the test.
    private func thaw(_ version: String) throws {
        let folder = Repository.path(of: "\(Frozen.folder)/\(version)")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.copyItem(
                atPath: "\(folder)/\(name)",
                toPath: place.path(name)
            )
            // Git does not keep the modes that private keys need.
            chmod(place.path(name), 0o600)
        }
    }

    private func unpack(_ archive: String) async throws {
        let arguments = ["-xf", place.path(archive), "-C", place.root, "--no-same-owner"]
        let tar = try RunningTool(arguments, in: place, program: "/usr/bin/tar")
        #expect(try await tar.end().status == 0)
    }

    private func receiver(_ store: String, _ arguments: String...) async throws -> RunningTool {
        let tool = try RunningTool(
            [
                "receive", "--listen", place.target, "--store", place.path(store), "--json",
                "--trust", place.path("ed25519.pem.pub"), "--hardware", "acme/lamp:3",
            ] + arguments,
            in: place
        )
        try await tool.output { $0["event"] as? String == "listening" }
        return tool
    }

    private func push(_ image: String) async throws -> ToolResult {
        try await place.run("push", place.path(image), "--connect", place.target, "--json")
    }

    // MARK: - Tests

    @Test("There is frozen data")
    func exists() { #expect(Frozen.versions.contains("1.0")) }

    @Test("Keys are read, and the private ones sign", arguments: Frozen.versions)
    func keys(version: String) async throws {
        try thaw(version)
        for name in ["ed25519.pem", "second.pem", "p256.pem"] {
            let ids = try await [name, "\(name).pub"].map(place.path).asyncMap {
                try await place.run("key", "show", $0, "--json").events.first?.text("id")
            }
            #expect(ids[0] != nil && ids[0] == ids[1], "\(name)")
            try await place.sign(place.path("firmware-1.bin"), as: "\(name).bleota", key: name)
            let verify = [
                "verify", place.path("\(name).bleota"), "--key", place.path("\(name).pub"),
            ]
            #expect(try await place.run(verify).status == 0, "\(name)")
        }
    }

    @Test(
        "Signatures of bundles are valid, and a changed bundle is refused",
        arguments: Frozen.versions
    )
    func signatures(version: String) async throws {
        try thaw(version)
        for (bundle, key) in [
            ("signed", "ed25519"), ("p256", "p256"), ("twice", "ed25519"), ("twice", "second"),
            ("sealed", "ed25519"), ("patch", "ed25519"),
        ] {
            let verify = ["verify", place.path("\(bundle).bleota"), "--key"]
            let result = try await place.run(verify + [place.path("\(key).pem.pub")])
            #expect(result.status == 0, "\(bundle): \(result.errors)")
        }
        var bytes = try #require(place.bytes("signed.bleota"))
        bytes[bytes.count / 2] ^= 1
        place.write(bytes, to: "signed.bleota")
        let key = place.path("ed25519.pem.pub")
        let changed = try await place.run("verify", place.path("signed.bleota"), "--key", key)
        #expect(changed.status == 65)
    }

    @Test(
        "Bundles are pushed: signed by either kind of key, twice, and sealed",
        arguments: Frozen.versions,
        ["signed", "p256", "twice", "sealed"]
    )
    func bundles(version: String, bundle: String) async throws {
        try thaw(version)
        let receiver = try await receiver(
            "new",
            "--trust",
            place.path("p256.pem.pub"),
            "--unseal",
            place.path("sealing.pem")
        )
        let result = try await push("\(bundle).bleota")
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.bytes("new/current/image") == place.bytes("firmware-1.bin"))
        try await receiver.interrupt()
    }

    @Test("A patch is applied to the image of an old store", arguments: Frozen.versions)
    func patch(version: String) async throws {
        try thaw(version)
        try await unpack("store-half.tar")
        let receiver = try await receiver("half")
        #expect(try await push("signed.bleota").status == 0)
        let result = try await push("patch.bleota")
        #expect(result.status == 0, "\(result.errors)")
        // The whole image would have been more.
        #expect(try #require(result.events.last?.number("encodedBytes")) < 8_000)
        #expect(place.bytes("half/current/image") == place.bytes("firmware-2.bin"))
        try await receiver.interrupt()
    }

    @Test(
        "An old store has its images, its counter and its record of what runs",
        arguments: Frozen.versions
    )
    func store(version: String) async throws {
        try thaw(version)
        try await unpack("store.tar")
        let current = place.bytes("firmware-2.bin")
        #expect(place.bytes("store/current/image") == current)
        let receiver = try await receiver("store")
        let patch = place.path("patch.bleota")
        // Nothing is sent again, and the record states that the device runs the image.
        let confirmed = try await place.run(
            "push",
            patch,
            "--connect",
            place.target,
            "--wait-confirmed",
            "--json"
        )
        #expect(confirmed.status == 0, "\(confirmed.errors)")
        #expect(confirmed.events.last?.number("dataFramesSent") == 0)
        // The counter of the current image is 8.
        #expect(try await push("signed.bleota").status == 65)
        #expect(place.bytes("store/current/image") == current)
        #expect(place.bytes("store/previous/image") == place.bytes("firmware-1.bin"))
        try await receiver.interrupt()
    }

    @Test(
        "A transfer goes on in whose midst an old receiver was killed",
        arguments: Frozen.versions
    )
    func resume(version: String) async throws {
        try thaw(version)
        try await unpack("store-half.tar")
        let receiver = try await receiver("half")
        let result = try await push("signed.bleota")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try #require(result.events.last?.number("resumedFromByte")) > 0)
        #expect(place.bytes("half/current/image") == place.bytes("firmware-1.bin"))
        try await receiver.interrupt()
    }

    @Test("A pull that was interrupted goes on", arguments: Frozen.versions)
    func pull(version: String) async throws {
        try thaw(version)
        try await unpack("pull-half.tar")
        let receiver = try await receiver("new", "--offer", place.path("firmware-1.bin"))
        let output = place.path("pulled/firmware")
        let result = try await place.run(
            "pull",
            "firmware-1.bin",
            "--connect",
            place.target,
            "--output",
            output,
            "--json"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try #require(result.events.last?.number("resumedFromByte")) > 0)
        #expect(place.bytes("pulled/firmware") == place.bytes("firmware-1.bin"))
        try await receiver.interrupt()
    }

    @Test("A file is pulled from an old store", arguments: Frozen.versions)
    func served(version: String) async throws {
        try thaw(version)
        try await unpack("store.tar")
        let receiver = try await receiver("store", "--offer", place.path("store/current/image"))
        let output = place.path("copy")
        let result = try await place.run(
            "pull",
            "image",
            "--connect",
            place.target,
            "--output",
            output
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.bytes("copy") == place.bytes("firmware-2.bin"))
        try await receiver.interrupt()
    }

    @Test("Each frame of a trace is decoded, in the same order", arguments: Frozen.versions)
    func trace(version: String) async throws {
        try thaw(version)
        let result = try await place.run("decode", place.path("push.trace"), "--json")
        #expect(result.status == 0, "\(result.errors)")
        let old = String(decoding: try #require(place.bytes("push.txt")), as: UTF8.self)
            .split(separator: "\n")
        #expect(result.events.count == old.count && old.count > 20)
        for (event, line) in zip(result.events, old) {
            #expect(event.fields["wellFormed"] as? Bool == true)
            // The words may change. What a frame is called, and when it was, may not.
            #expect(Self.kind(of: event.text("text") ?? "") == Self.kind(of: String(line)))
        }
    }

    /// The names of frames are in capitals.
    private static func kind(of line: String) -> [String] {
        line.matches(of: #/\b[A-Z]{3,}\b/#).map { String($0.0) }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(
        _ transform: (Element) async throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
