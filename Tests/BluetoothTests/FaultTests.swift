import BLEOTA
import BLEOTATestSupport
import Glibc
import Testing

/// What happens to a radio, a daemon and a process in the middle of a transfer: over a radio that
/// carries some 24 kB/s, so that the middle lasts.
@Suite(
    "Faults over Bluetooth",
    .enabled(if: Guest.runs("slow radio"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FaultTests {
    private static let byteCount = 393_216
    /// Early, in the middle and late: even if the sender has sent all that the device's credit
    /// allows beyond that, a part of the image is left when the fault has begun.
    private static let points = [8_192, 131_072, 262_144]

    private let place = ToolDirectory()

    @Test(
        "A radio that stalls for ten seconds",
        .enabled(if: Guest.isEmulated, "halts the controllers"),
        arguments: points
    )
    func stalledRadio(point: Int) async throws {
        let result = try await push(untilStored: point) { _ in
            try await Guest.stallRadio()
        } end: { _ in
            try await Task.sleep(for: .seconds(10))
            try await Guest.resumeRadio()
        }
        #expect(try #require(result.events.last?.fields["seconds"] as? Double) >= 10)
    }

    @Test("The device's adapter is switched off and on", arguments: points)
    func adapterOff(point: Int) async throws {
        let result = try await push(untilStored: point) { _ in
            try await Guest.switchAdapter(Guest.device, on: false)
        } end: { _ in
            try await Guest.switchAdapter(Guest.device, on: true)
        }
        #expect(result.events.contains { $0.name == "reconnected" })
    }

    @Test(
        "The daemon is restarted",
        .enabled(if: Guest.isEmulated, "ends the daemon"),
        arguments: points
    )
    func daemonRestarted(point: Int) async throws {
        let result = try await push(untilStored: point) { _ in
            try await Guest.stopDaemon()
        } end: { _ in
            try await Guest.startDaemon()
        }
        #expect(result.events.contains { $0.name == "reconnected" })
    }

    @Test("The receiver is killed and started again", arguments: points)
    func receiverKilled(point: Int) async throws {
        let result = try await push(untilStored: point) { device in
            try await device.kill()
        } end: { device in
            try await device.start()
            try await device.hasResumed(fromByte: point)
        }
        #expect(result.events.contains { $0.name == "reconnected" })
    }

    @Test("The sender is killed and started again", arguments: points)
    func senderKilled(point: Int) async throws {
        let device = try await ReceivingDevice(in: place)
        let image = place.image(Self.byteCount)
        let first = try place.pushing(image)
        try await first.hasStored(byteCount: point)
        first.send(9)
        #expect(try await first.end().status == -9)
        let second = try await place.pushing(image).end(within: 180)
        #expect(second.status == 0, "\(second.errors)")
        #expect(device.current == place.bytes("image.bin"))
        let resumed = try #require(second.events.last?.number("resumedFromByte"))
        #expect(resumed >= point && resumed < Self.byteCount)
        _ = try await device.stop()
    }

    /// Pushes, makes a fault once so much is stored, ends it, and expects that the push ends
    /// verified.
    ///
    /// The sender is halted until the fault has begun: on a busy machine that takes longer than the
    /// rest of the image.
    private func push(
        untilStored point: Int,
        begin: (ReceivingDevice) async throws -> Void,
        end: (ReceivingDevice) async throws -> Void
    ) async throws -> ToolResult {
        let device = try await ReceivingDevice(in: place)
        let push = try place.pushing(place.image(Self.byteCount))
        try await push.hasStored(byteCount: point)
        push.send(SIGSTOP)
        try await begin(device)
        push.send(SIGCONT)
        try await end(device)
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
        return result
    }
}
