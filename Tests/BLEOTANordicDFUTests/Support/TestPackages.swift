import BLEOTA
import BLEOTATestSupport
import SystemPackage
import Testing

/// The packages that Tests/Devices/packages.py makes, with applications of one size.
final class TestPackages: Sendable {
    /// Applications of 30,001 bytes, and of 30,000 for Legacy DFU.
    static let usual = Task { try await TestPackages(applicationByteCount: 30_001) }

    private let place = ToolDirectory()
    private let events: [(file: String, parts: [String: String])]

    private init(applicationByteCount: Int) async throws {
        let arguments = [place.path("packages"), "--size", "\(applicationByteCount)"]
        events = try await PythonDevice.run("packages.py", arguments, in: place).map { event in
            let parts = event.fields["parts"] as? [[String: Any]] ?? []
            let hashes = parts.compactMap { part in
                (part["part"] as? String).flatMap { name in
                    (part["sha256"] as? String).map { (name, $0) }
                }
            }
            return (event.text("file") ?? "", Dictionary(uniqueKeysWithValues: hashes))
        }
    }

    func path(_ name: String) -> String { place.path("packages/" + name) }

    func file(_ name: String) throws -> FirmwareFile {
        try FirmwareFile(contentsOf: FilePath(path(name)))
    }

    /// The SHA-256 of a part, in hex.
    func sha256(_ part: String, of name: String) -> String? {
        events.first { $0.file == name }?.parts[part]
    }
}

extension Trait where Self == ConditionTrait {
    /// The test needs the devices in Python.
    static var needsDevices: Self {
        .enabled(if: PythonDevice.areAvailable, "\(PythonDevice.whyUnavailable)")
    }
}
