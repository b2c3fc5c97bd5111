import BLEOTA
import BLEOTATestSupport
import Synchronization
import Testing

@testable import BLEOTANordicDFU

/// A push of a package to a device in Python, and everything that came of it.
struct DevicePush {
    let device: PythonDevice
    let gatt: SocketGATTDevice
    let result: Result<TransferReport, TransferError>
    let updates: [PushUpdate]

    /// - Parameter program: the file in Tests/Devices.
    init(
        _ package: String,
        to program: String,
        _ arguments: [String],
        options: PushOptions = PushOptions()
    ) async throws {
        let device = try await PythonDevice(program, arguments)
        try await self.init(package, to: device, options: options)
    }

    init(
        _ package: String,
        to device: PythonDevice,
        options: PushOptions = PushOptions()
    ) async throws {
        self.device = device
        let packages = try await TestPackages.usual.value
        gatt = SocketGATTDevice(device)
        let updates = Mutex<[PushUpdate]>([])
        let update = try NordicDFU().prepare(
            packages.file(package),
            options: UpdateOptions(push: options)
        )
        do throws(TransferError) {
            let report = try await update.push(to: gatt) { update in
                updates.withLock { $0.append(update) }
            }
            result = .success(report)
        } catch {
            result = .failure(error)
        }
        self.updates = updates.withLock { $0 }
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

    /// The SHA-256 of each image that the device has activated, in hex.
    var activated: [String] {
        device.events.filter { $0.name == "activated" }.compactMap { $0.text("sha256") }
    }

    /// Expects that the device has the parts of a package, that it had nothing to object to, and
    /// that the updates came in the order that they promise.
    func expectComplete(
        _ parts: [String],
        of package: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try result.get()
        let packages = try await TestPackages.usual.value
        try await device.waitForEvent("activated", count: parts.count)
        let hashes = parts.map { packages.sha256($0, of: package) }
        #expect(activated.map(Optional.some) == hashes, sourceLocation: sourceLocation)
        expectNoViolation(sourceLocation: sourceLocation)
        #expect(updates.last == .verified(report), sourceLocation: sourceLocation)
        #expect(report.protocolName == "nordic-dfu", sourceLocation: sourceLocation)
        let fractions = updates.compactMap { update in
            if case .progress(let progress) = update { progress.fractionStored } else { nil }
        }
        #expect(fractions == fractions.sorted(), sourceLocation: sourceLocation)
        #expect(fractions.last == 1, sourceLocation: sourceLocation)
    }

    func expectNoViolation(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(device.violations == [], sourceLocation: sourceLocation)
        #expect(device.errors == "", sourceLocation: sourceLocation)
    }
}
