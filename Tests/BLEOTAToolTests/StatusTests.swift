import BLEOTATestSupport
import Testing

/// `bleota status`, and the receipts that a receiver with a key of its own signs.
@Suite("Status")
struct StatusTests {
    private let place = ToolDirectory()

    @Test(
        "A receiver with a key signs what it runs, and status checks it",
        arguments: ["ed25519", "p256"]
    )
    func signed(kind: String) async throws {
        try await place.generateKey("device.pem", algorithm: kind)
        try await place.generateKey("other.pem", algorithm: kind)
        try await place.generateKey()
        try await place.sign(
            place.image(20_000),
            as: "lamp.bleota",
            "--hardware",
            "acme/lamp",
            "--version",
            "2.1.0",
            "--counter",
            "7"
        )
        let receiver = try await place.receiver(
            "--trust",
            place.path("release.pem.pub"),
            "--hardware",
            "acme/lamp",
            "--device-key",
            place.path("device.pem"),
            "--",
            "/bin/true"
        )
        let before = try await status("--key", "device.pem.pub", "--json")
        #expect(before.status == 0, "\(before.errors)")
        let unknown = try #require(before.events.last { $0.text("event") == "receipt" })
        #expect(unknown.text("state") == "unknown" && unknown.text("version") == "")
        #expect(unknown.text("sha256") == String(repeating: "0", count: 64))

        let push = try await place.run(
            "push",
            place.path("lamp.bleota"),
            "--connect",
            place.target,
            "--wait-confirmed"
        )
        #expect(push.status == 0, "\(push.errors)")
        let after = try await status("--key", "device.pem.pub", "--json")
        #expect(after.status == 0, "\(after.errors)")
        let receipt = try #require(after.events.last { $0.text("event") == "receipt" })
        #expect(receipt.text("state") == "confirmed" && receipt.text("version") == "2.1.0")
        #expect(receipt.number("counter") == 7)
        let plain = try await status("--json")
        let tag = try #require(plain.events.last?.text("tag"))
        #expect(receipt.text("sha256")?.hasPrefix(tag) == true && tag.count == 16)
        let shown = try await status("--key", "device.pem.pub")
        for line in ["confirmed     ", "version       2.1.0", "counter       7", "signed by     "] {
            #expect(shown.output.contains(line), "\(line) in \(shown.output)")
        }

        let other = try await status("--key", "other.pem.pub")
        #expect(other.status == 65 && other.errors.contains("another device"), "\(other.errors)")
        try await receiver.interrupt()
    }

    @Test("A receiver without a key signs nothing, and says so at once")
    func unsigned() async throws {
        try await place.generateKey("device.pem")
        let receiver = try await place.receiver()
        let asked = try await status("--key", "device.pem.pub")
        #expect(asked.status == 65 && asked.errors.contains("--device-key"), "\(asked.errors)")
        let plain = try await status()
        let said = "unknown       the device does not say which image it runs\n"
        #expect(plain.status == 0 && plain.output == said, "\(plain.errors)")
        try await receiver.interrupt()
    }

    @Test("A device's key must be private, and only its owner's")
    func keys() async throws {
        try await place.generateKey("device.pem")
        for (file, word) in [("device.pem.pub", "private"), ("none.pem", "none.pem")] {
            let result = try await place.run(
                "receive",
                "--listen",
                place.target,
                "--store",
                place.path("store"),
                "--device-key",
                place.path(file)
            )
            #expect(result.status != 0 && result.errors.contains(word), "\(result.errors)")
        }
    }

    private func status(_ arguments: String...) async throws -> ToolResult {
        let arguments = arguments.map { $0.hasSuffix(".pub") ? place.path($0) : $0 }
        return try await place.run(["status", "--connect", place.target] + arguments)
    }
}
