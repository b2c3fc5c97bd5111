import BLEOTA
import BLEOTATestSupport
import Testing

/// The daemon queues without bound; the transfer does not let it.
@Suite(
    "The daemon's queue",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct QueueTests {
    private let place = ToolDirectory()

    @Test("A radio that stalls for ten seconds costs the daemon less than 1 MiB")
    func bounded() async throws {
        let device = try await ReceivingDevice(in: place)
        let push = try place.pushing(place.image(4 << 20))
        // Half of it, so that the daemon has all the memory that a transfer takes.
        try await push.hasStored(byteCount: 1 << 20)
        let before = try await Guest.daemonResidentByteCount()
        try await push.hasStored(byteCount: 2 << 20)
        try await Guest.stallRadio()
        try await Task.sleep(for: .seconds(10))
        let stalled = try await Guest.daemonResidentByteCount()
        try await Guest.resumeRadio()
        let result = try await push.end(within: 400)
        let after = try await Guest.daemonResidentByteCount()
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        print(
            "bluetoothd: \(before >> 10) KiB before, \(stalled >> 10) KiB while the radio stalled, "
                + "\(after >> 10) KiB after"
        )
        #expect(stalled - before < 1 << 20)
        #expect(after - before < 1 << 20)
        _ = try await device.stop()
    }
    @Test("So does a pull: what the daemon gets to notify waits for the central's credit")
    func boundedPull() async throws {
        let offer = place.image(1 << 20, name: "crash.log")
        let device = try await ReceivingDevice(in: place, "--offer", offer)
        let pull = try RunningTool(
            [
                "pull", "crash.log", "--device", Guest.deviceAddress, "--adapter", Guest.central,
                "--output", place.path("copy"), "--json",
            ],
            in: place
        )
        try await pull.hasStored(byteCount: 1 << 18)
        let before = try await Guest.daemonResidentByteCount()
        try await pull.hasStored(byteCount: 1 << 19)
        try await Guest.stallRadio()
        try await Task.sleep(for: .seconds(10))
        let stalled = try await Guest.daemonResidentByteCount()
        try await Guest.resumeRadio()
        let result = try await pull.end(within: 400)
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.bytes("copy") == place.bytes("crash.log"))
        print("bluetoothd, pull: \(before >> 10) KiB before, \(stalled >> 10) KiB while stalled")
        #expect(stalled - before < 1 << 20)
        _ = try await device.stop()
    }
}
