import BLEOTA
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Crypto
import Glibc
import SystemPackage
import Testing

/// Keys of P-256, from their making to an image that a receiver took, and keys for firmware in C.
@Suite("P-256")
struct P256Tests {
    private let place = ToolDirectory()

    @Test("From a key to a verified image: generate, sign, show, verify, receive, push")
    func wholeWay() async throws {
        let made = try await place.generateKey(algorithm: "p256")
        let shown = try await place.run("key", "show", place.path("release.pem.pub"))
        #expect(shown.output.contains("algorithm     P-256"), "\(shown.output)")
        #expect(made.output.split(separator: "\n")[0] == shown.output.split(separator: "\n")[0])
        let private_ = try await place.run("key", "show", place.path("release.pem"))
        #expect(private_.output == shown.output)

        try await place.generateKey("stranger.pem", algorithm: "p256")
        try await place.generateKey("older.pem")
        let image = place.image(50_000)
        try await place.sign(image, as: "lamp.bleota")
        for key in ["stranger.pem", "older.pem"] {
            try await place.sign(image, as: "\(key).bleota", key: key)
        }
        let key = place.path("release.pem.pub")
        let verified = try await place.run("verify", place.path("lamp.bleota"), "--key", key)
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.output.contains(" (P-256), valid"), "\(verified.output)")

        let receiver = try await place.receiver("--trust", key)
        for (bundle, status) in [("stranger.pem", 65), ("older.pem", 65), ("lamp", 0)] {
            let path = place.path("\(bundle).bleota")
            let push = try await place.run("push", path, "--connect", place.target)
            #expect(push.status == status, "\(bundle): \(push.errors)")
        }
        #expect(place.current == place.bytes("image.bin"))
        try await receiver.interrupt()
    }

    @Test("A bundle signed with both kinds is taken by whoever trusts either, and signed once")
    func both() async throws {
        try await place.generateKey(algorithm: "p256")
        try await place.generateKey("older.pem", algorithm: "ed25519")
        try await place.sign(place.image(5_000), as: "one.bleota")
        let one = place.path("one.bleota")
        try await place.sign(one, as: "both.bleota", key: "older.pem")
        for key in ["release.pem.pub", "older.pem.pub"] {
            let bundle = place.path("both.bleota")
            let result = try await place.run("verify", bundle, "--key", place.path(key))
            #expect(result.status == 0, "\(result.errors)")
            let independent = try await place.verified("both.bleota", key)
            #expect(independent.status == 0, "\(independent.output)\(independent.errors)")
        }
        let wrong = try await place.verified("one.bleota", "older.pem.pub")
        #expect(wrong.status == 1)
        // Another signature would make another transfer of the same image.
        try await place.sign(one, as: "again.bleota")
        #expect(place.bytes("again.bleota") == place.bytes("one.bleota"))
    }

    @Test(
        "openssl verifies what a key signs, reads it, and makes keys that sign",
        .enabled(if: access("/usr/bin/openssl", X_OK) == 0)
    )
    func openssl() async throws {
        try await place.generateKey(algorithm: "p256")
        let read = try await openssl("pkey", "-in", place.path("release.pem"), "-pubout")
        #expect(read.output.utf8.elementsEqual(try #require(place.bytes("release.pem.pub"))))

        try await openssl(
            "genpkey",
            "-algorithm",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            place.path("theirs.pem")
        )
        #expect(chmod(place.path("theirs.pem"), 0o600) == 0)
        for (number, key) in ["release.pem", "theirs.pem"].enumerated() {
            let bundle = "\(number).bleota"
            try await place.sign(place.image(100), as: bundle, key: key)
            let half = place.path("\(number).pub")
            try await openssl("pkey", "-in", place.path(key), "-pubout", "-out", half)
            #expect(try await verify(signatureOf: bundle, by: half).status == 0)
        }
        // A judge that can't say no is none.
        #expect(try await verify(signatureOf: "0.bleota", by: place.path("1.pub")).status != 0)
    }

    @Test(
        "A key as C compiles, has the bytes of the public half, and nothing of the private one",
        .enabled(if: access("/usr/bin/cc", X_OK) == 0),
        arguments: [("ed25519", "1", 32), ("p256", "2", 65)]
    )
    func source(algorithm: String, number: String, byteCount: Int) async throws {
        try await place.generateKey(algorithm: algorithm)
        let shown = try await place.run("key", "show", place.path("release.pem.pub"), "--c")
        #expect(shown.status == 0, "\(shown.errors)")
        let ofPrivate = try await place.run("key", "show", place.path("release.pem"), "--c")
        #expect(ofPrivate.output == shown.output)
        place.write(Array(shown.output.utf8), to: "key.h")
        place.write(Array(Self.program.utf8), to: "main.c")
        let program = place.path("program")
        let options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", program]
        let built = try await RunningTool(
            options + [place.path("main.c")],
            in: place,
            program: "/usr/bin/cc"
        ).end(within: 60)
        #expect(built.status == 0, "\(built.errors)")
        let said = try await RunningTool([], in: place, program: program).end(within: 20)

        let path = FilePath(place.path("release.pem.pub"))
        let key = try KeyFile.verifyingKey(at: path)
        #expect(key.bytes.count == byteCount)
        let id = SHA256.hash(data: key.bytes).prefix(8)
        let expected = "\(number) \(hex(Array(id))) \(hex(key.bytes))\n"
        #expect(said.output == expected)
    }

    @Test(
        "What is no choice is refused with a sentence",
        arguments: [
            (["key", "generate", "x.pem", "--sealing", "--algorithm", "p256"], "choose one"),
            (["key", "generate", "x.pem", "--algorithm", "rsa"], "p256"),
        ]
    )
    func usage(arguments: [String], words: String) async throws {
        let result = try await place.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    /// A device had to trust a second key before the first can be replaced, and no header had two.
    @Test("Several keys make one header, if they have one algorithm")
    func severalKeys() async throws {
        for key in ["a.pem", "b.pem"] {
            #expect(try await place.run("key", "generate", place.path(key)).status == 0)
        }
        let keys = ["a.pem.pub", "b.pem.pub"].map { place.path($0) }
        let shown = try await place.run(["key", "show"] + keys + ["--c"])
        #expect(shown.status == 0 && shown.output.contains("bleota_key_count = 2"))
        for path in keys {
            let bytes = try KeyFile.verifyingKey(at: FilePath(path)).bytes
            let row = bytes.prefix(12).map { "0x\(hex([$0]))," }.joined(separator: " ")
            #expect(shown.output.contains(row))
        }
        try await place.generateKey(algorithm: "p256")
        let mixed = try await place.run(
            ["key", "show", keys[0], place.path("release.pem.pub"), "--c"]
        )
        #expect(mixed.status == 64 && mixed.isOneSentence, "\(mixed.errors)")
    }

    @Test("A sealing key is nothing for firmware in C")
    func sealing() async throws {
        try await place.generateKey("lamps.pem", sealing: true)
        let shown = try await place.run("key", "show", place.path("lamps.pem.pub"))
        #expect(shown.output.contains("algorithm     X25519"))
        let result = try await place.run("key", "show", place.path("lamps.pem.pub"), "--c")
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.isOneSentence, "\(result.errors)")
    }

    private static let program = """
        #include <stdio.h>
        #include "key.h"

        int main(void) {
            for (int key = 0; key < bleota_key_count; key++) {
                printf("%d ", bleota_key_algorithm);
                for (size_t i = 0; i < 8; i++) printf("%02x", bleota_key_ids[key][i]);
                printf(" ");
                for (size_t i = 0; i < sizeof bleota_keys[0]; i++)
                    printf("%02x", bleota_keys[key][i]);
                printf("\\n");
            }
            return 0;
        }

        """

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @discardableResult
    private func openssl(_ arguments: String...) async throws -> ToolResult {
        let result = try await RunningTool(arguments, in: place, program: "/usr/bin/openssl")
            .end(within: 20)
        #expect(result.status == 0, "\(result.errors)")
        return result
    }

    /// What openssl makes of the one signature of a bundle.
    private func verify(signatureOf bundle: String, by key: String) async throws -> ToolResult {
        let image = try FirmwareFile(contentsOf: FilePath(place.path(bundle)))
        let manifest = try #require(image.manifest)
        let signature = try #require(manifest.signatures.first)
        let value = Array(manifest.bytes[signature.value])
        // Before the signature stand its head and the length of all.
        let signed = manifest.bytes[..<(signature.value.lowerBound - 12 - 2)]
        let message = Array("bleota manifest1".utf8) + SHA256.hash(data: signed)
        let der = try P256.Signing.ECDSASignature(rawRepresentation: value).derRepresentation
        place.write(message, to: "message")
        place.write(Array(der), to: "signature")
        return try await RunningTool(
            [
                "dgst", "-sha256", "-verify", key, "-signature", place.path("signature"),
                place.path("message"),
            ],
            in: place,
            program: "/usr/bin/openssl"
        ).end(within: 20)
    }
}
