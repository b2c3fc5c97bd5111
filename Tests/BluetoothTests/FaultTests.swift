import BLEOTATestSupport
import Testing

/// What happens to a radio, a daemon and a process in the middle of a transfer.
@Suite(
    "Faults over Bluetooth",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FaultTests {
    private static let byteCount = 262_144
    /// Early, in the middle and late.
    private static let points = [8_192, 131_072, 229_376]

    private let place = ToolDirectory()

    @Test("A radio that stalls for ten seconds", arguments: points)
    func stalledRadio(point: Int) async throws {
        try await push(untilStored: point) { _, _ in
            try await Guest.stallRadio()
            try await Task.sleep(for: .seconds(10))
            try await Guest.resumeRadio()
        }
    }

    @Test("The device's adapter is switched off and on", arguments: points)
    func adapterOff(point: Int) async throws {
        try await push(untilStored: point) { _, _ in
            try await Guest.switchAdapter(Guest.device, on: false)
            try await Guest.switchAdapter(Guest.device, on: true)
        }
    }

    @Test("The daemon is restarted", arguments: points)
    func daemonRestarted(point: Int) async throws {
        try await push(untilStored: point) { _, _ in try await Guest.restartDaemon() }
    }

    @Test("The receiver is killed and started again", arguments: points)
    func receiverKilled(point: Int) async throws {
        try await push(untilStored: point) { device, _ in
            try await device.kill()
            try await device.start()
        }
    }

    @Test("The sender is killed and started again", arguments: points)
    func senderKilled(point: Int) async throws {
        let device = try await ReceivingDevice(in: place)
        let image = place.image(Self.byteCount)
        let first = try place.pushing(image)
        try await first.hasStored(byteCount: point)
        first.send(9)
        _ = try await first.end()
        let second = try await place.pushing(image).end(within: 180)
        #expect(second.status == 0, "\(second.errors)")
        #expect(device.current == place.bytes("image.bin"))
        #expect((second.events.last?.number("resumedFromByte") ?? 0) >= point)
        _ = try await device.stop()
    }

    /// Pushes, does something once so much is stored, and expects that it ends verified.
    private func push(
        untilStored point: Int,
        _ fault: (ReceivingDevice, RunningTool) async throws -> Void
    ) async throws {
        let device = try await ReceivingDevice(in: place)
        let push = try place.pushing(place.image(Self.byteCount))
        try await push.hasStored(byteCount: point)
        try await fault(device, push)
        let result = try await push.end(within: 180)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.events.last?.fields["verified"] as? Bool == true)
        #expect(device.current == place.bytes("image.bin"))
        // Besides the rest, no more is sent again than was on its way: 64 KiB in this machine's
        // daemon, and the device's credit, once or twice; never the whole image.
        let chunkByteCount = try #require(result.events.last?.number("chunkBytes"))
        let sentByteCount = (result.events.last?.number("dataFramesSent") ?? 0) * chunkByteCount
        #expect(sentByteCount < Self.byteCount + 3 * 65_536)
        print("fault at \(point): \(result.events.last?.line ?? "")")
        _ = try await device.stop()
    }
}
