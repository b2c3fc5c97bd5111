import BLEOTA
import BLEOTATestSupport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import BLEOTAESPOTA

/// A push of an image to a device in Python, and everything that came of it.
struct DevicePush {
    /// An application of 30,001 bytes: seven sectors and a short one.
    static let image: [UInt8] = {
        var random = TestSeed(1)
        return [0xE9] + (0..<30_000).map { _ in UInt8(random.below(256)) }
    }()

    let device: PythonDevice
    let result: Result<TransferReport, TransferError>
    let updates: [PushUpdate]

    init(
        _ arguments: [String],
        image: [UInt8] = image,
        options: PushOptions = PushOptions()
    ) async throws {
        try await self.init(to: Self.device(arguments), image: image, options: options)
    }

    init(
        to device: PythonDevice,
        image: [UInt8] = image,
        options: PushOptions = PushOptions()
    ) async throws {
        self.device = device
        let update = try ESPOTA().prepare(
            Self.file(image, in: device.place),
            options: UpdateOptions(push: options)
        )
        let updates = Mutex<[PushUpdate]>([])
        do throws(TransferError) {
            let report = try await update.push(to: SocketGATTDevice(device)) { update in
                updates.withLock { $0.append(update) }
            }
            result = .success(report)
        } catch {
            result = .failure(error)
        }
        self.updates = updates.withLock { $0 }
    }

    static func device(_ arguments: [String]) async throws -> PythonDevice {
        try await PythonDevice("esp_ota_device.py", arguments)
    }

    static func file(
        _ bytes: [UInt8],
        in place: ToolDirectory,
        name: String = "app.bin"
    ) throws -> FirmwareFile {
        let path = place.path(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try FirmwareFile(contentsOf: FilePath(path))
    }

    var error: TransferError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The refusal of the device, if the push ended in one.
    var refusal: DeviceRefusal? {
        if case .refusedByDevice(let refusal)? = error?.problem { refusal } else { nil }
    }

    var notices: [String] {
        updates.compactMap { if case .notice(let sentence) = $0 { sentence } else { nil } }
    }

    var reconnectionCount: Int {
        updates.count { if case .reconnecting = $0 { true } else { false } }
    }

    /// Expects that the device has the image, that it had nothing to object to, and that the
    /// updates came in the order that they promise.
    func expectComplete(
        image: [UInt8] = image,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try result.get()
        try await device.waitForEvent("reset")
        #expect(try device.flash() == image, sourceLocation: sourceLocation)
        #expect(
            device.events.count { $0.name == "activated" } == 1,
            sourceLocation: sourceLocation
        )
        expectNoViolation(sourceLocation: sourceLocation)
        #expect(updates.last == .verified(report), sourceLocation: sourceLocation)
        #expect(report.protocolName == "esp-ota", sourceLocation: sourceLocation)
        #expect(report.byteCount == image.count, sourceLocation: sourceLocation)
        let fractions = updates.compactMap { update in
            if case .progress(let progress) = update { progress.fractionStored } else { nil }
        }
        #expect(fractions.last == 1, sourceLocation: sourceLocation)
    }

    func expectNoViolation(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(device.violations == [], sourceLocation: sourceLocation)
        #expect(device.errors == "", sourceLocation: sourceLocation)
    }
}

extension Trait where Self == ConditionTrait {
    /// The test needs the devices in Python.
    static var needsDevices: Self {
        .enabled(if: PythonDevice.areAvailable, "\(PythonDevice.whyUnavailable)")
    }
}
