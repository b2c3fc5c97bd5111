import BLEOTA
import BLEOTATestSupport
import Foundation
import Testing

@testable import BLEOTASMP

/// Pushes by SMP over GATT to a device that was written from Zephyr's documentation alone.
@Suite(
    "Pushes to a device with SMP",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: PythonDevice.areAvailable, Comment(rawValue: PythonDevice.whyUnavailable))
)
struct DeviceTests {
    @Test(
        "an image arrives whole, whatever the device does",
        arguments: [
            [], ["--version-1"], ["--no-parameters"], ["--unknown-keys"], ["--stray-replies"],
            ["--reorder"], ["--image-check"], ["--mtu", "23"], ["--mtu", "498"],
            ["--buffers", "8", "--buffer-size", "2475"], ["--buffers", "1"],
            ["--capacity", "2", "--overflow", "silent"], ["--capacity", "1", "--overflow", "busy"],
            ["--erase-ms", "2000"], ["--reset-at", "30000"],
            ["--restart-from-zero-at", "20000", "--restart-from-zero-at", "50000"],
            ["--slow", "5"],
        ]
    )
    func whole(faults: [String]) async throws {
        let image = try await Self.image(byteCount: 60_000)
        let device = try await PythonDevice("smp_device.py", faults)
        let (report, updates) = try await Self.push(image, to: device)
        #expect(report.byteCount == image.bytes.count)
        guard case .confirmed = updates.last else {
            Issue.record("the last update is \(updates.last.map { "\($0)" } ?? "none")")
            return
        }
        try await Self.expectWhole(image, device)
    }

    @Test("a link that is lost anywhere is restored, and the upload resumes")
    func lostLinks() async throws {
        let image = try await Self.image(byteCount: 60_000)
        for seed in TestSeed.rounds(TestScope.choose(4, full: 20)) {
            var random = TestSeed(seed)
            // Further from one another than a message is long, or two losses would be one.
            let places = (0..<3).map { "\(20_000 * $0 + random.below(17_000))" }
            let device = try await PythonDevice(
                "smp_device.py",
                places.flatMap { ["--lose-link-at", $0] }
            )
            let (report, updates) = try await Self.push(image, to: device)
            #expect(report.reconnectionCount >= 3)
            let reconnections = updates.filter {
                if case .reconnecting = $0 { true } else { false }
            }
            #expect(!reconnections.isEmpty)
            try await Self.expectWhole(image, device)
        }
    }

    @Test("an upload that another host has begun is resumed")
    func resumed() async throws {
        let image = try await Self.image(byteCount: 60_000)
        let device = try await PythonDevice("smp_device.py", ["--slow", "10"])
        let (progress, signal) = AsyncStream.makeStream(of: Void.self)
        let prepared = try SMPPrepared(image.file, options: UpdateOptions())
        let first = Task {
            try await prepared.push(to: SocketGATTDevice(device)) { update in
                if case .progress(let done) = update, done.durableByteCount > 5_000 {
                    signal.yield()
                }
            }
        }
        for await _ in progress { break }
        first.cancel()
        _ = try? await first.value
        let (report, _) = try await Self.push(image, to: device)
        #expect(report.resumedFromByte > 0)
        try await Self.expectWhole(image, device)
    }

    @Test("what a device has is not sent again, and what it runs needs nothing")
    func twice() async throws {
        let image = try await Self.image(byteCount: 20_000)
        let device = try await PythonDevice("smp_device.py")
        _ = try await Self.push(image, to: device) { $0.activation = .keep }
        let (second, _) = try await Self.push(image, to: device)
        #expect(second.dataFramesSent == 0)
        let (third, updates) = try await Self.push(image, to: device)
        #expect(third.dataFramesSent == 0)
        #expect(updates.contains(.notice("the device is already running the image")))
        try await Self.expectWhole(image, device)
    }

    @Test("an image on trial is overwritten only if that is forced")
    func trial() async throws {
        let first = try await Self.image(byteCount: 20_000)
        let second = try await Self.image(byteCount: 20_000, version: "9.0.0", seed: 2)
        let device = try await PythonDevice("smp_device.py")
        let (_, updates) = try await Self.push(first, to: device) { $0.activation = .test }
        #expect(updates.last.map { "\($0)" }?.contains("onTrial") == true)
        await #expect(throws: TransferError.self) { try await Self.push(second, to: device) }
        #expect(!device.events.contains { $0.name == "wiped" || $0.name == "cancelled" })
        _ = try await Self.push(second, to: device) { $0.isForced = true }
        try await Self.expectWhole(second, device)
    }

    @Test("an image that is too large, or no MCUboot image, is refused with a sentence")
    func refused() async throws {
        let image = try await Self.image(byteCount: 60_000)
        let device = try await PythonDevice("smp_device.py", ["--flash-size", "50000"])
        do {
            _ = try await Self.push(image, to: device)
            Issue.record("the push succeeded")
        } catch let error as TransferError {
            #expect(error.code == .refused)
            #expect(error.description.contains("does not fit"))
        }
        let raw = try FirmwareFile(bytes: Array(repeating: 1, count: 500), name: "raw.bin")
        #expect(throws: FirmwareError.self) { try SMPPrepared(raw, options: UpdateOptions()) }
    }

    // MARK: - Support

    struct Image {
        let bytes: [UInt8]
        let file: FirmwareFile
    }

    /// An image of MCUboot that a program which is not ours has made.
    static func image(
        byteCount: Int,
        version: String = "2.0.0",
        seed: UInt64 = 1
    ) async throws -> Image {
        let place = ToolDirectory()
        let code = """
            import random, sys; import mcuboot
            version = tuple(map(int, "\(version).0".split(".")))
            data = mcuboot.made(random.Random(\(seed)).randbytes(\(byteCount)), version=version)
            open(sys.argv[1], "wb").write(data)
            """
        let maker = try RunningTool(
            [
                "-c", "import sys; sys.path.insert(0, sys.argv[2])\n" + code, place.path("image"),
                Repository.path(of: "Tests/Devices"),
            ],
            in: place,
            program: PythonDevice.interpreter
        )
        let result = try await maker.end()
        #expect(result.status == 0, "\(result.errors)")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: place.path("image"))))
        return Image(bytes: bytes, file: try FirmwareFile(bytes: bytes, name: "image.bin"))
    }

    @discardableResult
    static func push(
        _ image: Image,
        to device: PythonDevice,
        _ change: (inout UpdateOptions) -> Void = { _ in }
    ) async throws -> (TransferReport, [PushUpdate]) {
        var options = UpdateOptions()
        change(&options)
        let updates = UpdateLog()
        let report = try await SMPPrepared(image.file, options: options).push(
            to: SocketGATTDevice(device),
            onUpdate: updates.append
        )
        return (report, updates.all)
    }

    /// Ends the device, and compares its flash.
    private static func expectWhole(_ image: Image, _ device: PythonDevice) async throws {
        try await device.end()
        #expect(device.violations == [])
        #expect(device.errors == "")
        let flash = try device.flash()
        #expect(flash.prefix(image.bytes.count).elementsEqual(image.bytes))
    }
}
