import BLEOTATestSupport
import Testing

/// Compressed, patched and sealed images, as a user meets them.
@Suite("Encodings of the tool")
struct EncodingTests {
    private let place = ToolDirectory()

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
        try await place.generateKey()
        let made = try await place.generateKey("lamps.pem", sealing: true)
        #expect(made.output.contains("--seal-for"))
        try await place.generateKey("stoves.pem", sealing: true)
        let bundle = place.path("lamp.bleota")
        let signed = try await place.sign(
            image("lamp.bin"),
            as: "lamp.bleota",
            "--seal-for",
            place.path("lamps.pem.pub")
        ).output
        #expect(signed.contains("(zlib, sealed)"))
        #expect(signed.contains("(sealed)"))
        #expect(!signed.contains("as it is"))
        for (arguments, status, words) in [
            ([], 65, "no other form"), (["--unseal", place.path("stoves.pem")], 65, "--seal-for"),
            (["--unseal", place.path("lamps.pem")], 0, ""),
        ] as [([String], Int32, String)] {
            let receiver = try await place.receiver(
                ["--trust", place.path("release.pem.pub")] + arguments
            )
            let push = try await place.run("push", bundle, "--connect", place.target)
            #expect(push.status == status, "\(arguments): \(push.errors)")
            #expect(push.errors.contains(words), "\(arguments): \(push.errors)")
            try await receiver.interrupt()
        }
        #expect(place.bytes("store/current/image") == place.bytes("lamp.bin"))
    }

    @Test("A key of one kind in place of the other: a sentence that says which is which")
    func keys() async throws {
        try await place.generateKey()
        try await place.generateKey("lamps.pem", sealing: true)
        let image = image("lamp.bin")
        let signed = try await place.sign(image, as: "x.bleota", key: "lamps.pem", endingWith: 64)
        #expect(signed.errors.contains("a private signing key is needed"), "\(signed.errors)")
        let sealed = try await place.sign(
            image,
            as: "x.bleota",
            "--seal-for",
            place.path("release.pem.pub"),
            endingWith: 64
        )
        #expect(sealed.errors.contains("half of a sealing key"), "\(sealed.errors)")
        let shown = try await run("key", "show", place.path("lamps.pem"))
        #expect(shown.contains("BEGIN PUBLIC KEY"))
    }

    @Test("An implementation from the text of the specification alone verifies every form")
    func independent() async throws {
        try await place.generateKey()
        try await place.generateKey("lamps.pem", sealing: true)
        let image = image("lamp.bin", byteCount: 20_000)
        let bundle = place.path("lamp.bleota")
        var ways: [(sign: [String], verify: [String])] = [
            ([], []), (["--no-compression"], []),
            (["--seal-for", place.path("lamps.pem.pub")], []),
            (["--seal-for", place.path("lamps.pem.pub")], ["lamps.pem"]),
            (["--seal-for", place.path("lamps.pem"), "--no-compression"], ["lamps.pem"]),
        ]
        #if Delta
        let base = self.image("old.bin", byteCount: 19_000)
        ways.append((["--base", base], []))
        ways.append((["--base", base, "--seal-for", place.path("lamps.pem.pub")], []))
        #endif
        for way in ways {
            try await place.sign(image, as: "lamp.bleota", way.sign)
            let verified = try await place.verified("lamp.bleota", ["release.pem.pub"] + way.verify)
            #expect(verified.status == 0, "\(way): \(verified.output)\(verified.errors)")
            let ours = try await place.run("verify", bundle, "--key", place.path("release.pem"))
            #expect(ours.status == 0, "\(way): \(ours.errors)")
        }
    }

    #if Delta
    @Test("A patch: a receiver with the base gets it, another one the whole image")
    func patch() async throws {
        try await place.generateKey()
        let old = image("old.bin")
        var bytes = try #require(place.bytes("old.bin"))
        bytes.insert(contentsOf: [1, 2, 3, 4, 5], at: 7_000)
        place.write(bytes, to: "new.bin")
        let bundle = place.path("new.bleota")
        let signed = try await place.sign(place.path("new.bin"), as: "new.bleota", "--base", old)
        #expect(signed.output.contains("(patch) against "))
        let receiver = try await place.receiver("--trust", place.path("release.pem.pub"))
        let first = try await run("push", bundle, "--connect", place.target, "--json")
        #expect(first.contains("\"encoding\":\"zlib\""), "\(first)")
        try await place.sign(old, as: "old.bleota")
        _ = try await run("push", place.path("old.bleota"), "--connect", place.target)
        let second = try await run("push", bundle, "--connect", place.target, "--json")
        #expect(second.contains("\"encoding\":\"patch\""), "\(second)")
        #expect(place.bytes("store/current/image") == bytes)
        try await receiver.interrupt()
    }
    #endif
}
