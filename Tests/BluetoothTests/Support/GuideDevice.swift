import BLEOTA
import BLEOTATestSupport

/// The firmware of a guide, built for this machine (Tests/Guides/host/build.sh).
enum Guide: String {
    case zephyr
    case espIDF = "esp-idf"
    case encryptedZephyr = "zephyr-encrypted"
    case encryptedESPIDF = "esp-idf-encrypted"

    static let open: [Guide] = [.zephyr, .espIDF]
    static let encrypted: [Guide] = [.encryptedZephyr, .encryptedESPIDF]

    /// Each has its own: the daemon remembers which handles a device's characteristics have.
    var address: String {
        switch self {
        case .zephyr: "C2:00:00:00:00:01"
        case .espIDF: "C2:00:00:00:00:02"
        case .encryptedZephyr: "C2:00:00:00:00:03"
        case .encryptedESPIDF: "C2:00:00:00:00:04"
        }
    }

    /// Makes a bundle of an image, signed with the key that the devices trust.
    static func sign(_ image: String, as bundle: String) async throws {
        guard let python = UsesPython.path else { throw GuestFailure(UsesPython.reason) }
        try await Guest.run(
            python,
            "Tests/Guides/bundle.py",
            "sign",
            ".build-embedded/guides/release.key",
            image,
            bundle
        )
    }

    /// Where in the flash what runs may be: Zephyr's slot 0, or ota_0 and ota_1.
    fileprivate var slotOffsets: [Int] {
        switch self {
        case .zephyr, .encryptedZephyr: [0xC000]
        case .espIDF, .encryptedESPIDF: [0x2_0000, 0x20_0000]
        }
    }
}

/// A device that follows a guide: its firmware, and Bumble as its Bluetooth stack, as a process
/// that can be killed and started again. It keeps its flash and its bonds.
final class GuideDevice {
    let guide: Guide
    private let place: ToolDirectory
    private(set) var process: RunningTool

    /// Starts it with the flash that the directory has, and waits until it advertises.
    init(_ guide: Guide, in place: ToolDirectory) async throws {
        self.guide = guide
        self.place = place
        process = try Self.started(guide, in: place)
        try await advertises(times: 1)
    }

    private static func started(_ guide: Guide, in place: ToolDirectory) throws -> RunningTool {
        guard let python = UsesPython.path else { throw GuestFailure(UsesPython.reason) }
        let arguments = [
            "Tests/Guides/host/stack.py", "/run/guest/air", guide.address, place.root,
            ".build-embedded/guides/\(guide.rawValue)",
        ]
        return try RunningTool(arguments, in: place, program: python)
    }

    /// Takes the power away, and gives it back.
    func cutPower() async throws {
        process.send(9)
        _ = try await process.end()
        process = try Self.started(guide, in: place)
        try await advertises(times: 1)
    }

    func stop() async throws {
        process.send(9)
        _ = try await process.end()
    }

    /// Waits until it has begun to advertise so many times since it was started.
    func advertises(times count: Int) async throws {
        try await process.wait(for: "advertisement \(count)") {
            events("advertising") >= count
        }
    }

    /// How often something happened since the process was started.
    func events(_ name: String) -> Int {
        Event.all(in: process.output).count { $0.name == name }
    }

    /// How much of the image the first session since the start found in the flash, as the firmware
    /// logs it.
    var resumedFromByte: Int? {
        process.errors.split(separator: "\n").compactMap {
            $0.split(separator: "resumed ").dropFirst().first
        }
        .compactMap { Int($0) }.first
    }

    /// Whether an image is where the device runs from.
    func has(_ image: [UInt8]) -> Bool {
        guard let flash = place.bytes("flash") else { return false }
        return guide.slotOffsets.contains { flash[$0...].starts(with: image) }
    }
}
