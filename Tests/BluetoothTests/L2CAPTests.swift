import BLEOTATestSupport
import Testing

/// Which pushes take an L2CAP channel, and which go over GATT.
@Suite(
    "L2CAP channels over Bluetooth",
    .enabled(if: Guest.hasChannels, "runs in the guest: scripts/test-bluez.sh l2cap"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct L2CAPTests {
    private let place = ToolDirectory()

    /// Pushes an image, and returns the binding that carried it.
    private func pushed(_ image: String, _ options: String...) async throws -> String? {
        let result = try await place.pushing(image, options).end(within: 120)
        #expect(result.status == 0, "\(result.errors)")
        print("push: \(result.events.last?.line ?? "")")
        return result.events.first { $0.name == "link" }?.text("binding")
    }

    @Test("A push takes the channel that the device offers, unless the user says otherwise")
    func binding() async throws {
        let device = try await ReceivingDevice(in: place)
        #expect(try await pushed(place.image(100_000, name: "first")) == "l2cap")
        #expect(device.current == place.bytes("first"))
        #expect(try await pushed(place.image(90_000, name: "second"), "--no-l2cap") == "gatt")
        #expect(device.current == place.bytes("second"))
        let small = place.image(80_000, name: "third")
        #expect(try await pushed(small, "--mtu", "23") == "l2cap")
        #expect(device.current == place.bytes("third"))
        _ = try await device.stop()
    }

    @Test("A device that offers no channel gets its image over GATT")
    func noOffer() async throws {
        let device = try await ReceivingDevice(in: place, "--no-l2cap")
        #expect(try await pushed(place.image(20_000)) == "gatt")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }

    @Test("A push goes on after either end was killed, over a new channel")
    func killed() async throws {
        let device = try await ReceivingDevice(in: place)
        let image = place.image(2 << 20)
        let first = try place.pushing(image)
        try await first.hasStored(byteCount: 131_072)
        first.send(9)
        _ = try await first.end()
        let second = try place.pushing(image)
        try await device.hasResumed(fromByte: 131_072)
        try await second.hasStored(byteCount: 786_432)
        try await device.kill()
        try await device.start()
        try await device.hasResumed(fromByte: 786_432)
        let result = try await second.end(within: 240)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }
}
