import BLEOTATestSupport
import Glibc
import Testing

/// Compressed, patched and sealed images, as a user meets them.
@Suite("Encodings of the tool")
struct EncodingTests {
    private let place = ToolDirectory()

    /// In spec/vectors, from this file's place in Tests/BLEOTAToolTests.
    private static var verifier: String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        return (root + ["spec", "vectors", "verify_bundle.py"]).joined(separator: "/")
    }

    /// Firmware is no noise: two bits in each byte.
    private func image(_ name: String, seed: UInt64 = 1, byteCount: Int = 60_000) -> String {
        var random = TestSeed(seed)
        place.write(random.bytes(byteCount).map { $0 & 3 }, to: name)
        return place.path(name)
    }

    private func run(_ arguments: String...) async throws -> String {
        let result = try await place.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return result.output
    }

    @Test("An image that gets smaller is sent compressed, and a push says both rates")
    func compressed() async throws {
        let image = image("lamp.bin")
        let output = place.path("out.bin")
        let line = try await run("push", image, "--loopback", "--output", output, "--json")
        #expect(line.contains("\"encoding\":\"zlib\""))
        #expect(line.contains("\"bytes\":60000"))
        #expect(line.contains("\"imageBytesPerSecond\":"))
        #expect(place.bytes("out.bin") == place.bytes("lamp.bin"))
        let other = place.path("other.bin")
        let plain = try await run(
            "push",
            image,
            "--loopback",
            "--output",
            other,
            "--json",
            "--no-compression"
        )
        #expect(plain.contains("\"encodedBytes\":60000"))
        #expect(!plain.contains("\"encoding\":\"zlib\""))
        #expect(place.bytes("other.bin") == place.bytes("lamp.bin"))
    }

    @Test("Sealed: the device with the key has the image, others are refused, with what to do")
    func sealed() async throws {
        _ = try await run("key", "generate", place.path("release.pem"))
        let made = try await run("key", "generate", "--sealing", place.path("lamps.pem"))
        #expect(made.contains("--seal-for"))
        _ = try await run("key", "generate", "--sealing", place.path("stoves.pem"))
        let bundle = place.path("lamp.bleota")
        let signed = try await run(
            "sign",
            image("lamp.bin"),
            "--key",
            place.path("release.pem"),
            "--seal-for",
            place.path("lamps.pem.pub"),
            "--output",
            bundle
        )
        #expect(signed.contains("(zlib, sealed)"))
        #expect(signed.contains("(sealed)"))
        #expect(!signed.contains("as it is"))
        for (arguments, status, words) in [
            ([], 65, "other forms"), (["--unseal", place.path("stoves.pem")], 65, "--seal-for"),
            (["--unseal", place.path("lamps.pem")], 0, ""),
        ] as [([String], Int32, String)] {
            let receiver = try await place.receiver(
                ["--trust", place.path("release.pem.pub")] + arguments
            )
            let push = try await place.run("push", bundle, "--connect", place.target)
            #expect(push.status == status, "\(arguments): \(push.errors)")
            #expect(push.errors.contains(words), "\(arguments): \(push.errors)")
            receiver.send(SIGINT)
            _ = try await receiver.end(within: 20)
        }
        #expect(place.bytes("store/current/image") == place.bytes("lamp.bin"))
    }

    @Test("A key of one kind in place of the other: a sentence that says which is which")
    func keys() async throws {
        _ = try await run("key", "generate", place.path("release.pem"))
        _ = try await run("key", "generate", "--sealing", place.path("lamps.pem"))
        let image = image("lamp.bin")
        let signed = try await place.run(
            "sign",
            image,
            "--key",
            place.path("lamps.pem"),
            "--output",
            place.path("x.bleota")
        )
        #expect(signed.status == 64)
        #expect(signed.errors.contains("takes a private signing key"), "\(signed.errors)")
        let sealed = try await place.run(
            "sign",
            image,
            "--key",
            place.path("release.pem"),
            "--seal-for",
            place.path("release.pem.pub"),
            "--output",
            place.path("x.bleota")
        )
        #expect(sealed.status == 64)
        #expect(sealed.errors.contains("half of a sealing key"), "\(sealed.errors)")
        let shown = try await run("key", "show", place.path("lamps.pem"))
        #expect(shown.contains("BEGIN PUBLIC KEY"))
    }

    @Test("An implementation from the text of the specification alone verifies every form")
    func independent() async throws {
        _ = try await run("key", "generate", place.path("release.pem"))
        _ = try await run("key", "generate", "--sealing", place.path("lamps.pem"))
        let image = image("lamp.bin", byteCount: 20_000)
        let bundle = place.path("lamp.bleota")
        let signing = ["sign", image, "--key", place.path("release.pem"), "--output", bundle]
        var ways: [(sign: [String], verify: [String])] = [
            ([], []), (["--no-compression"], []),
            (["--seal-for", place.path("lamps.pem.pub")], []),
            (["--seal-for", place.path("lamps.pem.pub")], [place.path("lamps.pem")]),
            (
                ["--seal-for", place.path("lamps.pem"), "--no-compression"],
                [place.path("lamps.pem")]
            ),
        ]
        #if Delta
        let base = self.image("old.bin", byteCount: 19_000)
        ways.append((["--base", base], []))
        ways.append((["--base", base, "--seal-for", place.path("lamps.pem.pub")], []))
        #endif
        for way in ways {
            let signed = try await place.run(signing + way.sign)
            #expect(signed.status == 0, "\(way): \(signed.errors)")
            let verified = try await RunningTool(
                [Self.verifier, bundle, place.path("release.pem.pub")] + way.verify,
                in: place,
                program: "/usr/bin/env"
            ).end(within: 60)
            #expect(verified.status == 0, "\(way): \(verified.output)\(verified.errors)")
            let ours = try await place.run("verify", bundle, "--key", place.path("release.pem"))
            #expect(ours.status == 0, "\(way): \(ours.errors)")
        }
    }

    #if Delta
    @Test("A patch: a receiver with the base gets it, another one the whole image")
    func patch() async throws {
        _ = try await run("key", "generate", place.path("release.pem"))
        let old = image("old.bin")
        var bytes = try #require(place.bytes("old.bin"))
        bytes.insert(contentsOf: [1, 2, 3, 4, 5], at: 7_000)
        place.write(bytes, to: "new.bin")
        let bundle = place.path("new.bleota")
        let signed = try await run(
            "sign",
            place.path("new.bin"),
            "--base",
            old,
            "--key",
            place.path("release.pem"),
            "--output",
            bundle
        )
        #expect(signed.contains("(patch) against "))
        let receiver = try await place.receiver("--trust", place.path("release.pem.pub"))
        let first = try await run("push", bundle, "--connect", place.target, "--json")
        #expect(first.contains("\"encoding\":\"zlib\""), "\(first)")
        _ = try await run(
            "sign",
            old,
            "--key",
            place.path("release.pem"),
            "--output",
            place.path("old.bleota")
        )
        _ = try await run("push", place.path("old.bleota"), "--connect", place.target)
        let second = try await run("push", bundle, "--connect", place.target, "--json")
        #expect(second.contains("\"encoding\":\"patch\""), "\(second)")
        #expect(place.bytes("store/current/image") == bytes)
        receiver.send(SIGINT)
        _ = try await receiver.end(within: 20)
    }
    #endif
}
