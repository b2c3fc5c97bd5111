import BLEOTA
import BLEOTATestSupport
import Testing

/// Pushes over Bluetooth that a policy of the device judges, and that wait for the device.
@Suite(
    "Signed pushes",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct SignedPushTests {
    private let place = ToolDirectory()

    @Test("A sealed image goes to a device that has the key, and is then as it was")
    func sealed() async throws {
        try await place.generateKey()
        try await place.generateKey("lamps.pem", sealing: true)
        let image = place.image(60_000)
        try await place.sign(
            image,
            as: "sealed.bleota",
            "--seal-for",
            place.path("lamps.pem.pub")
        )
        let device = try await ReceivingDevice(
            in: place,
            "--trust",
            place.path("release.pem.pub"),
            "--unseal",
            place.path("lamps.pem")
        )
        let result = try await place.pushing(place.path("sealed.bleota")).end(within: 120)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }

    @Test("An image for other hardware, by a key that nobody trusts, is refused")
    func wrongKey() async throws {
        try await place.generateKey()
        try await place.generateKey("other.pem")
        let image = place.image(20_000)
        try await place.sign(image, as: "other.bleota", key: "other.pem", "--hardware", "acme/lamp")
        let device = try await ReceivingDevice(
            in: place,
            "--hardware",
            "acme/stove:1",
            "--trust",
            place.path("release.pem.pub")
        )
        let result = try await place.pushing(place.path("other.bleota")).end(within: 120)
        #expect(result.status == 65, "\(result.status) \(result.errors)")
        #expect(device.current == nil)
        _ = try await device.stop()
    }

    @Test("A push that waits ends when the device confirms the image after its trial")
    func confirmed() async throws {
        let image = place.image(20_000)
        let device = try await ReceivingDevice(in: place, "--on-trial", "--", "/bin/true")
        let push = try place.pushing(image, "--wait-confirmed")
        try await push.output(within: 120) { $0["state"] as? String == "onTrial" }
        let confirmation = try await place.run(
            ["confirm", "--store", place.store, "--image", image]
        )
        #expect(confirmation.status == 0, "\(confirmation.errors)")
        let result = try await push.end(within: 60)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("\"state\":\"confirmed\""), "\(result.output)")
        _ = try await device.stop()
    }
}
